internal import Glibc

/// What stands in a directory: by the system's own calls, so that a failure is told with its reason and its place.
extension Directories {
  /// The names in the directory `path`, sorted by their bytes; hidden ones too.
  ///
  /// - Parameter path: The directory.
  /// - Returns: The names, without `.` and `..`.
  /// - Throws: `FileError` of `find` where there is no such directory, else of `read`.
  package static func names(in path: String) throws(FileError) -> [String] {
    guard let stream = unsafe opendir(path) else { throw FileError(.read, path, errno: errno) }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      // The end and a failure look the same but for this.
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

  /// Removes `path` and everything in it; nothing happens where it does not exist.
  ///
  /// A symbolic link goes, and not what it leads to.
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
    // Gone meanwhile is gone.
    guard unsafe (isDirectory ? rmdir(path) : unlink(path)) == 0 || errno == ENOENT else {
      throw FileError(.write, path, errno: errno)
    }
  }
}
