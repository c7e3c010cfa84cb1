import Glibc

/// The result of stat(2) for a path. Symbolic links are followed.
struct FileStatus {
  /// Device and inode.
  struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64
  }

  let identity: Identity
  let isFolder: Bool
  let isRegular: Bool
  let isPipe: Bool

  /// Examines `path`. Returns `nil` if the path does not exist.
  ///
  /// - Throws: `unreadable` if the path cannot be examined.
  init?(_ path: String) throws(ExportError) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      let code = errno
      if code == ENOENT || code == ENOTDIR { return nil }
      throw ExportError(unreadable: path, code)
    }
    identity = Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    isFolder = status.st_mode & S_IFMT == S_IFDIR
    isRegular = status.st_mode & S_IFMT == S_IFREG
    isPipe = status.st_mode & S_IFMT == S_IFIFO
  }
}

extension ExportError {
  init(unreadable path: String, _ code: Int32) {
    let words = unsafe String(cString: strerror(code))
    self.init(.unreadable, file: path, reason: "it cannot be read: \(words); check its permissions")
  }
}

extension ExportError {
  init(namedPipe path: String) {
    self.init(
      .oddFile, file: path,
      reason: "it is a named pipe, and a read could wait forever for data; use a file, or standard input "
        + "(\"-\")")
  }
}

/// Collects the files in folders.
struct FolderWalk {
  private(set) var files: [ExportFile] = []
  /// The number of names that were skipped because they begin with `.` or `_`.
  private(set) var ignored = 0
  /// The visited folders. They are stored because a link may lead back to one of them.
  private var entered: Set<FileStatus.Identity> = []

  static func isIgnored(_ name: String) -> Bool {
    name.utf8.first == UInt8(ascii: ".") || name.utf8.first == UInt8(ascii: "_")
  }

  /// Adds the regular files at any depth below `folder`, in the order of names.
  ///
  /// - Throws: `odd_file` for a named pipe; `missing_file` for a link to a missing file; `unreadable` if a
  ///   path cannot be examined, a folder cannot be listed, or a name is not UTF-8.
  mutating func visit(_ folder: ExportFile, _ status: FileStatus) throws(ExportError) {
    guard entered.insert(status.identity).inserted else { return }
    for name in try Self.names(in: folder.path) {
      if Self.isIgnored(name) {
        ignored += 1
        continue
      }
      let child = ExportFile(
        shown: ExportFile.joined(folder.shown, name), path: ExportFile.joined(folder.path, name))
      guard let status = try FileStatus(child.path) else {
        throw ExportError(
          .missingFile, file: child.path,
          reason: "it is a symbolic link to a file that does not exist; restore the file, or remove the link")
      }
      if status.isFolder {
        try visit(child, status)
      } else if status.isRegular {
        files.append(child)
      } else if status.isPipe {
        // A program may write a part of the export into a named pipe. Skipping the pipe would lose that part.
        throw ExportError(namedPipe: child.path)
      }
    }
  }

  /// Returns the names in the folder `path`, except `.` and `..`, in ascending byte order.
  ///
  /// - Throws: `unreadable` if the folder cannot be listed, or if a name is not UTF-8.
  static func names(in path: String) throws(ExportError) -> [String] {
    guard let stream = unsafe opendir(path) else { throw ExportError(unreadable: path, errno) }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw ExportError(unreadable: path, errno) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      }
      let bytes = unsafe withUnsafeBytes(of: entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      guard let name = String(validating: bytes, as: UTF8.self) else {
        throw ExportError(
          .unreadable, file: path, reason: "it contains a file whose name is not UTF-8; rename that file")
      }
      if name != "." && name != ".." { names.append(name) }
    }
  }
}
