internal import CLinux
internal import Foundation
internal import Glibc

/// Operations on files and directories, such as creating, linking, renaming and syncing them.
package enum Directories {
  /// Creates `path` and missing parent directories. If `isSynced`, the parent directory of each new directory
  /// is synced.
  package static func create(_ path: String, isSynced: Bool = true) throws(FileError) {
    var status = stat()
    if unsafe stat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        throw FileError(
          .create, path, reason: "it exists, but is not a directory",
          advice: "Rename or remove it, or choose another directory.")
      }
      return
    }
    let parent = Self.parent(of: path)
    if parent != path { try create(parent, isSynced: isSynced) }
    guard unsafe mkdir(path, 0o750) == 0 || errno == EEXIST else {
      throw FileError(.create, path, errno: errno)
    }
    if isSynced { try sync(parent) }
  }

  /// Syncs the entries of the directory `path` to disk, so that new names survive a crash.
  package static func sync(_ path: String) throws(FileError) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(.write, path, errno: errno) }
    defer { _ = close(descriptor) }
    guard fsync(descriptor) == 0 else { throw FileError(.write, path, errno: errno) }
  }

  /// Renames `from` to `to`, which must not exist, and syncs the directory of `to`.
  package static func moveIntoPlace(_ from: String, to: String) throws(FileError) {
    guard unsafe linux_rename_without_replacing(from, to) == 0 else {
      guard errno == EEXIST || errno == ENOTEMPTY else { throw FileError(.create, to, errno: errno) }
      throw FileError(
        .create, to, reason: "it already exists, and complete directories are never overwritten",
        advice: "Remove this directory, or choose another run directory.")
    }
    try sync(parent(of: to))
  }

  /// Atomically replaces the directory `to` with the directory `from`, and then removes the old directory.
  package static func moveIntoPlace(_ from: String, replacing to: String) throws(FileError) {
    guard unsafe linux_rename_exchanging(from, to) == 0 else { throw FileError(.create, to, errno: errno) }
    try sync(parent(of: to))
    try remove(from)
  }

  /// Creates a directory `to` with hard links to all files of the directory `from`, at any depth. A file that
  /// cannot be linked, for example on another file system, is copied. `to` must not exist. It appears only
  /// when it is complete.
  package static func linkFiles(of from: String, to: String) throws(FileError) {
    let partial = parent(of: to) + "/." + (to.split(separator: "/").last ?? "") + ".partial"
    try remove(partial)
    PartialOutputs.begin(partial)
    defer { PartialOutputs.end(partial) }
    try linkEntries(of: from, to: partial)
    try moveIntoPlace(partial, to: to)
  }

  private static func linkEntries(of from: String, to: String) throws(FileError) {
    try create(to)
    for name in try names(in: from) {
      let (source, target) = (from + "/" + name, to + "/" + name)
      var status = stat()
      guard unsafe lstat(source, &status) == 0 else { throw FileError(.read, source, errno: errno) }
      if status.st_mode & S_IFMT == S_IFDIR {
        try linkEntries(of: source, to: target)
      } else if unsafe Glibc.link(source, target) != 0 {
        guard errno == EXDEV || errno == EPERM || errno == EMLINK else {
          throw FileError(.create, target, errno: errno)
        }
        do {
          try FileManager.default.copyItem(atPath: source, toPath: target)
        } catch {
          throw FileError(
            .create, target, reason: "copying '\(source)' failed (\(error.localizedDescription))",
            advice: "Check the permissions and the free space.")
        }
        _ = try FileDigest(syncing: target, as: name, rows: nil)
      }
    }
    try sync(to)
  }

  /// Points the symbolic link `path` to `target`. An older link is replaced atomically.
  package static func link(_ path: String, to target: String) throws(FileError) {
    let temporary = path + ".\(getpid()).partial"
    _ = unsafe unlink(temporary)
    guard unsafe symlink(target, temporary) == 0, unsafe Glibc.rename(temporary, path) == 0 else {
      let code = errno
      _ = unsafe unlink(temporary)
      throw FileError(.create, path, errno: code)
    }
    try sync(parent(of: path))
  }

  /// Writes the small file `path` atomically: a reader sees either the old content or the new content. The
  /// file has the permissions `access`, or 0640 if `access` is `nil`, before a reader sees it.
  package static func replace(_ path: String, with bytes: [UInt8], _ access: FileAccess? = nil)
    throws(FileError)
  {
    try replace(path, with: bytes, isSecret: false, access)
  }

  /// Writes the small file `path` atomically, as `replace` does. Only the owner of the file may read it.
  package static func replaceSecret(_ path: String, with bytes: [UInt8]) throws(FileError) {
    try replace(path, with: bytes, isSecret: true, nil)
  }

  private static func replace(
    _ path: String, with bytes: [UInt8], isSecret: Bool, _ access: FileAccess?
  ) throws(FileError) {
    let temporary = path + ".\(getpid()).partial"
    _ = unsafe unlink(temporary)
    PartialOutputs.begin(temporary)
    defer { PartialOutputs.end(temporary) }
    do throws(FileError) {
      var writer = try FileWriter(creating: temporary, isSecret: isSecret || access != nil)
      if let access { try writer.grant(access) }
      try writer.append(bytes)
      _ = try writer.finish(as: path)
    } catch {
      _ = unsafe unlink(temporary)
      throw error
    }
    try rename(temporary, over: path)
  }

  /// Renames the file `from`, which must be complete and synced, to `path`. An existing file is replaced.
  ///
  /// - Throws: `FileError` if the file cannot be renamed or the directory cannot be synced. In the first
  ///   case, `from` is removed and the file at `path` is unchanged. In the second case, `path` is already
  ///   replaced.
  package static func rename(_ from: String, over path: String) throws(FileError) {
    guard unsafe Glibc.rename(from, path) == 0 else {
      let code = errno
      _ = unsafe unlink(from)
      throw FileError(.write, path, errno: code)
    }
    try sync(parent(of: path))
  }

  /// Creates the hard link `to` for the file `from`. If `from` is a directory, creates a directory `to` with
  /// hard links to all files in `from`, at any depth. `to` must not exist.
  package static func linkTree(_ from: String, to: String) throws(FileError) {
    var status = stat()
    guard unsafe lstat(from, &status) == 0 else { throw FileError(.read, from, errno: errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      guard unsafe Glibc.link(from, to) == 0 else { throw FileError(.create, to, errno: errno) }
      return
    }
    try create(to)
    for name in try names(in: from) { try linkTree("\(from)/\(name)", to: "\(to)/\(name)") }
    try sync(to)
  }

  package static func exists(_ path: String) -> Bool {
    unsafe access(path, F_OK) == 0
  }

  /// Returns whether `path` exists. If this account may not look up the path, this function throws an error,
  /// while `exists` returns `false`.
  ///
  /// - Throws: `FileError` if the system cannot determine whether the path exists.
  package static func isPresent(_ path: String) throws(FileError) -> Bool {
    if exists(path) { return true }
    guard errno == ENOENT || errno == ENOTDIR else { throw FileError(.read, path, errno: errno) }
    return false
  }

  /// Returns whether `path` exists. A symbolic link to a missing file counts as existing.
  package static func isEntry(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// Returns whether `path` is a symbolic link.
  package static func isLink(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  package static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns the absolute form of `path`, without symbolic links, `..` or a trailing slash.
  package static func resolved(_ path: String) -> String {
    URL(filePath: path).resolvingSymlinksInPath().path
  }

  /// Returns the last component of `path`: `c` for `a/b/c`. The result is empty if `path` ends with a slash.
  package static func name(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  /// Returns the directory of `path`; `.` for a name without a slash.
  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
