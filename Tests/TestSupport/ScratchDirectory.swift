public import Foundation
internal import Synchronization

/// A new directory for one test. It is removed when this value is released.
public final class ScratchDirectory: Sendable {
  public let path: String

  /// Creates a directory. It is removed when this value is released, or when the process exits if
  /// `untilExit` is true.
  public init(untilExit: Bool = false) throws {
    path =
      FileManager.default.temporaryDirectory
      .appending(path: "nightjar-tests-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    if untilExit { Self.removeAtExit(path) }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of `name` in the directory.
  public func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Writes `text` to the file `name` and returns its path. Missing directories are created.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try write(Data(text.utf8), to: name)
  }

  @discardableResult
  public func write(_ data: Data, to name: String) throws -> String {
    let url = URL(filePath: self(name))
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
    return url.path
  }

  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) throws -> String {
    try write(Data(bytes), to: name)
  }

  public func data(_ name: String) throws -> Data {
    try Data(contentsOf: URL(filePath: self(name)))
  }

  public func bytes(_ name: String) throws -> [UInt8] {
    Array(try data(name))
  }

  public func text(_ name: String) throws -> String {
    String(decoding: try bytes(name), as: UTF8.self)
  }

  public func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: self(name))
  }

  /// The relative paths of all files in the directory, sorted.
  public var files: [String] {
    let all = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    var isDirectory = ObjCBool(false)
    return all.filter {
      FileManager.default.fileExists(atPath: self($0), isDirectory: &isDirectory) && !isDirectory.boolValue
    }.sorted()
  }

  private static let leftovers = Mutex<[String]>([])

  private static func removeAtExit(_ path: String) {
    let isFirst = leftovers.withLock { paths in
      paths.append(path)
      return paths.count == 1
    }
    guard isFirst else { return }
    atexit {
      for path in ScratchDirectory.leftovers.withLock({ $0 }) {
        try? FileManager.default.removeItem(atPath: path)
      }
    }
  }
}
