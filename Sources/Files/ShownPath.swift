internal import Foundation

/// Paths as people like to read them: without `..`, and from where they stand.
package enum ShownPath {
  /// `path` without detours; relative where it lies under the current directory.
  package static func short(_ path: String) -> String {
    let here = FileManager.default.currentDirectoryPath
    let resolved = Directories.resolved(path)
    return resolved.hasPrefix(here + "/") ? String(resolved.dropFirst(here.count + 1)) : resolved
  }
}
