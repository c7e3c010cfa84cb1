internal import Foundation

/// Paths in messages: without `..`, and relative to the current directory.
package enum ShownPath {
  /// Returns `path` without `..` and symbolic links. The path is relative if it is below the current
  /// directory.
  package static func short(_ path: String) -> String {
    let here = FileManager.default.currentDirectoryPath
    let resolved = Directories.resolved(path)
    return resolved.hasPrefix(here + "/") ? String(resolved.dropFirst(here.count + 1)) : resolved
  }
}
