internal import Glibc

/// The permissions of files that other accounts read, such as the account of a web server.
package struct FileAccess: Hashable, Sendable {
  /// The permission bits of a file.
  package let mode: UInt32
  /// The id of the group; `nil` to leave the group of a file unchanged.
  package let group: UInt32?

  package init(mode: UInt32, group: UInt32?) { (self.mode, self.group) = (mode, group) }

  /// The permission bits of a folder: each account that may read the folder may also open the files in it.
  package var folderMode: UInt32 { mode | (mode & 0o444) >> 2 }

  /// Returns the id of the group `name`. If no group has this name, a number counts as an id; the result for
  /// any other name is `nil`.
  package static func group(named name: String) -> UInt32? {
    if let found = unsafe getgrnam(name) { return unsafe found.pointee.gr_gid }
    return UInt32(name)
  }

  /// Applies the permissions to the open file or folder `descriptor` at `path`.
  func apply(to descriptor: Int32, _ path: String, isFolder: Bool = false) throws(FileError) {
    if let group {
      // `uid_t.max` leaves the owner unchanged.
      guard fchown(descriptor, uid_t.max, group) == 0 else {
        throw FileError(
          .write, path,
          reason: "its group cannot be set to group id \(group) (\(unsafe String(cString: strerror(errno))))",
          advice: "Add this account to the group, or change 'report.group'.")
      }
    }
    guard fchmod(descriptor, isFolder ? folderMode : mode) == 0 else {
      throw FileError(.write, path, errno: errno)
    }
  }
}
