internal import Glibc

extension Directories {
  /// Creates the folder `path` unless it exists, and gives it the permissions `access`. If `access` is `nil`,
  /// the permissions do not change.
  package static func create(_ path: String, _ access: FileAccess?) throws(FileError) {
    try create(path)
    guard let access else { return }
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(.write, path, errno: errno) }
    defer { _ = close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(.write, path, errno: errno) }
    // Only the owner of a folder can set its permissions. A folder that already has the right permissions may
    // belong to another account, so it stays unchanged.
    let isDone =
      status.st_mode & 0o777 == access.folderMode && (access.group == nil || status.st_gid == access.group)
    if !isDone { try access.apply(to: descriptor, path, isFolder: true) }
  }
}
