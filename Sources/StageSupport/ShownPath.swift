internal import Foundation
package import ServingStore
internal import Tables

/// Paths as people like to read them: without `..`, and from where they stand.
package enum ShownPath {
  /// `path` without detours; relative where it lies under the current directory.
  package static func short(_ path: String) -> String {
    let here = FileManager.default.currentDirectoryPath
    let resolved = Directories.resolved(path)
    return resolved.hasPrefix(here + "/") ? String(resolved.dropFirst(here.count + 1)) : resolved
  }
}

extension StoreAddress {
  /// The address with its path shortened, for people.
  package var shown: String {
    switch backend {
    case .sqlite(let path): "sqlite:" + ShownPath.short(path)
    case .postgresql, .redis: description
    }
  }
}
