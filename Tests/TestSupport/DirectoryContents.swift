public import Foundation

/// The files in a directory, to compare stage directories byte by byte.
public struct DirectoryContents: Sendable {
  /// The files by path relative to the directory, including hidden files.
  public var files: [String: Data]

  public init(of directory: String) throws {
    files = [:]
    let names = try FileManager.default.subpathsOfDirectory(atPath: directory)
    for name in names {
      var isDirectory: ObjCBool = false
      let path = directory + "/" + name
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), !isDirectory.boolValue
      else { continue }
      files[name] = try Data(contentsOf: URL(filePath: path))
    }
  }

  public var names: [String] { files.keys.sorted() }

  /// Returns the sorted names of the files that differ or exist on one side only.
  public func differences(from other: DirectoryContents) -> [String] {
    Set(files.keys).union(other.files.keys).filter { files[$0] != other.files[$0] }.sorted()
  }
}
