internal import Glibc

extension Directories {
  /// Creates the folder `path` unless it exists, and gives it the permissions `access`; `nil` changes no
  /// permissions.
  package static func create(_ path: String, _ access: FileAccess?) throws(FileError) {
    try create(path)
    guard let access else { return }
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(.write, path, errno: errno) }
    defer { _ = close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(.write, path, errno: errno) }
    // Only the owner can set permissions, so a folder of another account that already has them is left alone.
    let isDone =
      status.st_mode & 0o777 == access.folderMode && (access.group == nil || status.st_gid == access.group)
    if !isDone { try access.apply(to: descriptor, path, isFolder: true) }
  }
}
