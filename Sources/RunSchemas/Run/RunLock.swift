internal import Files
internal import Glibc
package import System

/// The error if another process holds the lock of the pipeline's runs.
package struct LockHeld: ErrorWithStatus, CustomStringConvertible {
  package var path: String
  /// The description that the holder wrote into the lock file.
  package var holder: String

  package init(path: String, holder: String) {
    (self.path, self.holder) = (path, holder)
  }

  package var exitStatus: ExitStatus { .tryAgain }

  package var description: String {
    "cannot start: \(holder.isEmpty ? "another process" : holder) holds the lock '\(path)', and only one command at a time "
      + "can change the runs of a pipeline. Try again when that process has finished."
  }
}

/// Allows one run of a pipeline at a time, with an advisory lock on a file in the pipeline's directory.
///
/// The lock belongs to the open file description, which stage processes inherit. It is released when this
/// value is destroyed. If this process ends without destroying the value, for example after SIGKILL, the
/// kernel releases the lock when the last process that inherited it ends. The file stays, but an unlocked
/// file has no meaning.
package struct RunLock: ~Copyable {
  /// The descriptor of the open lock file. It is closed when this value is destroyed.
  package let descriptor: Int32

  /// Takes the lock of `directory`, and creates the directory if it does not exist.
  ///
  /// - Parameters:
  ///   - directory: The pipeline's directory under the work directory.
  ///   - holder: A description of this process, for the message of another process.
  /// - Throws: `LockHeld` if another process holds the lock; `FileError` if the directory or the lock file
  ///   cannot be created or opened.
  package init(of directory: String, holder: String) throws {
    try Directories.create(directory)
    let path = directory + "/lock"
    // The file is opened without O_CLOEXEC, because child processes must inherit it.
    let file = unsafe open(path, O_RDWR | O_CREAT, 0o640)
    guard file >= 0 else { throw FileError(.create, path, errno: errno) }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      let text = Self.content(file)
      _ = close(file)
      guard code == EWOULDBLOCK else { throw FileError(.create, path, errno: code) }
      throw LockHeld(path: path, holder: text)
    }
    let bytes = Array(holder.utf8)
    _ = ftruncate(file, 0)
    // A failure is ignored, because the text is only for the message of another process.
    _ = unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
    descriptor = file
  }

  /// Returns the description that the holder of the lock of `directory` wrote; `nil` if the lock is free.
  package static func holder(of directory: String) -> String? {
    let file = unsafe open(directory + "/lock", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { _ = close(file) }
    guard flock(file, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
    return content(file)
  }

  deinit {
    // Closing alone would keep the lock as long as any process that inherited the file is running.
    _ = flock(descriptor, LOCK_UN)
    _ = close(descriptor)
  }

  private static func content(_ file: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, $0.count, 0) }
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

extension RunLock {
  /// Takes the lock for a stage that is run by hand. The lock file is in the pipeline's directory if the run
  /// belongs to a pipeline's directory, otherwise in the run directory.
  package init(ofRun run: String, stage: Stage) throws {
    try self.init(
      of: RunDirectories(around: run)?.root ?? Directories.resolved(run),
      holder: "\(stage.command) in '\(run)'")
  }
}
