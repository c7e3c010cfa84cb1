internal import Files
internal import Glibc

/// A fingerprint of the file at a path. It detects that the file was replaced or modified during reading.
struct ExportStamp: Hashable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  var bytes: Int { Int(size) }

  /// The time of the last modification, in seconds since 1970 UTC.
  var modified: Int { seconds }

  /// Creates the stamp of the file at `path`. Returns `nil` for a missing file, because the reader reports
  /// it, and for pipes and similar files, because their times change during reading.
  init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }

  /// Checks that the files are unchanged.
  ///
  /// - Throws: `FileError` for the first of `paths` whose stamp has changed.
  static func check(_ paths: [(path: String, stamp: ExportStamp)]) throws(FileError) {
    for (path, before) in paths where ExportStamp(path) != before {
      throw FileError(
        .read, path, reason: "it changed while it was being read",
        advice:
          "Write exports under another name, rename them when they are complete, and start the run afterwards."
      )
    }
  }
}
