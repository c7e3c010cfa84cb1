import Glibc

/// A path with `*`, `?` or `[...]`, as interpreted by glob(3).
struct GlobPattern {
  private let pattern: String
  private let directory: String

  /// Creates a pattern below `directory`. All characters of `directory` are literal.
  init(_ pattern: String, in directory: String) {
    self.pattern = pattern
    self.directory = directory
  }

  static func isPattern(_ path: String) -> Bool {
    path.utf8.contains { [UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "[")].contains($0) }
  }

  /// Returns the matches, in no particular order; empty if the path is not a pattern.
  ///
  /// - Throws: `unreadable` if a folder along the path cannot be listed or searched, or contains a match that
  ///   is not UTF-8.
  func matches() throws(ExportError) -> [ExportFile] {
    guard Self.isPattern(pattern) else { return [] }
    try checkFolders()
    let whole = ExportFile.joined(Self.escaped(directory), pattern)
    var found = unsafe glob_t()
    defer { unsafe globfree(&found) }
    // A folder that does not exist contains no match. A folder that cannot be listed may contain a match, so
    // it causes an error.
    let status = unsafe glob(whole, 0, { $1 == ENOENT ? 0 : 1 }, &found)
    switch status {
    case 0: break
    case GLOB_NOMATCH: return []
    default:
      throw ExportError(
        .unreadable, file: ExportFile.joined(directory, pattern),
        reason: "a folder on the path of this pattern cannot be listed; check its permissions")
    }
    var matches: [ExportFile] = []
    for index in 0..<Int(unsafe found.gl_pathc) {
      guard let start = unsafe found.gl_pathv[index] else { continue }
      guard let path = unsafe String(validatingCString: start) else {
        throw ExportError(
          .unreadable, file: ExportFile.joined(directory, pattern),
          reason: "this pattern matches a file whose name is not UTF-8; rename that file")
      }
      let match = ExportFile(shown: shown(path), path: path)
      if !isIgnored(match.shown) { matches.append(match) }
    }
    return matches
  }

  /// Checks that this account can list and search the folders that may contain a match. glob(3) treats a
  /// folder that cannot be searched like an empty folder. If a folder cannot be listed, the error of glob(3)
  /// does not name the folder.
  ///
  /// - Throws: `unreadable` for the first such folder.
  private func checkFolders() throws(ExportError) {
    let names = pattern.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
    guard let last = names.last else { return }
    let parent = (pattern.hasPrefix("/") ? "/" : "") + names.dropLast().joined(separator: "/")
    var folders = [parent.isEmpty ? directory : ExportFile.joined(directory, parent)]
    if Self.isPattern(parent) { folders = try GlobPattern(parent, in: directory).matches().map(\.path) }
    // A name without a pattern is looked up without listing its folder.
    let needed = Self.isPattern(last) ? R_OK | X_OK : X_OK
    for folder in folders {
      guard let status = try FileStatus(folder), status.isFolder else { continue }
      guard unsafe access(folder, needed) == 0 else { throw ExportError(unreadable: folder, errno) }
    }
  }

  /// Returns the match `path` relative to the directory.
  private func shown(_ path: String) -> String {
    let prefix = ExportFile.joined(directory, "")
    guard !prefix.isEmpty, !pattern.hasPrefix("/"), path.utf8.starts(with: prefix.utf8) else { return path }
    return String(decoding: path.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
  }

  /// Returns whether a component of the match begins with `_` and the same component of the pattern does not.
  /// glob(3) applies this rule only to `.`.
  private func isIgnored(_ match: String) -> Bool {
    let underscore = UInt8(ascii: "_")
    return zip(
      match.utf8.split(separator: UInt8(ascii: "/")), pattern.utf8.split(separator: UInt8(ascii: "/"))
    )
    .contains { $0.first == underscore && $1.first != underscore }
  }

  private static func escaped(_ path: String) -> String {
    var text = ""
    for scalar in path.unicodeScalars {
      if "*?[]\\".unicodeScalars.contains(scalar) { text.append("\\") }
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}
