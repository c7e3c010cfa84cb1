public import Foundation

/// Third-party test data that are not part of this repository.
///
/// The data are in `../shared/data` next to the checkout, or in `NIGHTJAR_SHARED`, the folder that
/// contains `third-party` and `speed-dating`. Suites without their data are disabled.
public enum SharedData {
  public static let root: URL = {
    if let path = ProcessInfo.processInfo.environment["NIGHTJAR_SHARED"] {
      return URL(filePath: path, directoryHint: .isDirectory)
    }
    return repository.deletingLastPathComponent().appending(path: "shared/data", directoryHint: .isDirectory)
  }()

  /// The root of this repository.
  public static let repository: URL = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  public static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  public static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  public static func url(_ path: String) -> URL {
    root.appending(path: path)
  }
}
