internal import Glibc

/// Lists and removes directory entries with system calls, so that each error contains the system's reason and
/// the path.
extension Directories {
  /// Returns the names in the directory `path`, including hidden names, in ascending byte order.
  ///
  /// - Parameter path: The directory.
  /// - Returns: The names, without `.` and `..`.
  /// - Throws: `FileError` with `find` if the directory does not exist, otherwise with `read`.
  package static func names(in path: String) throws(FileError) -> [String] {
    guard let stream = unsafe opendir(path) else { throw FileError(.read, path, errno: errno) }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      // `readdir` returns `nil` at the end and after a failure. Only `errno` distinguishes the two cases.
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw FileError(.read, path, errno: errno) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      }
      let bytes = unsafe withUnsafeBytes(of: entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      let name = String(decoding: bytes, as: UTF8.self)
      if name != ".", name != ".." { names.append(name) }
    }
  }

  /// Removes `path` and everything in it, if `path` exists. For a symbolic link, only the link is removed,
  /// not its target.
  ///
  /// - Parameter path: A file, a link or a directory.
  /// - Throws: `FileError` with the first path that could not be removed.
  package static func remove(_ path: String) throws(FileError) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return }
      throw FileError(.write, path, errno: errno)
    }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    if isDirectory {
      for name in try names(in: path) { try remove(path + "/" + name) }
    }
    // A file that disappears meanwhile is not an error.
    guard unsafe (isDirectory ? rmdir(path) : unlink(path)) == 0 || errno == ENOENT else {
      throw FileError(.write, path, errno: errno)
    }
  }

  /// Finds a directory whose permissions prevent this account from removing `path`. Only `path` and the
  /// directories in it are checked, not the parent directory.
  ///
  /// - Parameter path: A file, a link or a directory.
  /// - Returns: The first directory whose entries this account cannot list or remove; `nil` if no directory
  ///   prevents the removal.
  package static func obstacle(toRemoving path: String) -> String? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    guard let names = try? names(in: path) else { return path }
    if !names.isEmpty, unsafe access(path, W_OK | X_OK) != 0 { return path }
    for name in names {
      if let obstacle = obstacle(toRemoving: path + "/" + name) { return obstacle }
    }
    return nil
  }
}
