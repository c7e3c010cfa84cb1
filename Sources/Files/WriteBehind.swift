internal import CLinux
internal import Glibc
internal import Synchronization
internal import System

/// Makes the kernel start to write files to disk while a stage continues.
///
/// Separate threads make the system call, because it blocks while the disk is saturated.
enum WriteBehind {
  private static let waiting = Atomic(0)

  /// The maximum number of threads. If the disk cannot keep up, more requests do not help.
  private static let most = 8

  /// Starts to write the cached bytes of an open file. The caller may close the file at once.
  ///
  /// Requests beyond the maximum are skipped without loss, because a sync follows anyway.
  static func begin(_ descriptor: Int32) {
    guard waiting.add(1, ordering: .relaxed).oldValue < most else { return end() }
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return end() }
    let isStarted = SideThread.start {
      linux_begin_writing(copy)
      _ = close(copy)
      end()
    }
    if isStarted { return }
    _ = close(copy)
    end()
  }

  private static func end() { waiting.subtract(1, ordering: .relaxed) }
}
