internal import CLinux
internal import Glibc
internal import Synchronization
internal import System

/// Lets the kernel start to write files to disk while a stage continues.
///
/// Uses its own threads, because even this call blocks while the disk is saturated, and the writing thread must not.
enum WriteBehind {
  private static let waiting = Atomic(0)

  /// The maximum number of threads: if the disk cannot keep up, more hints do not help.
  private static let most = 8

  /// Starts to write the cached bytes of an open file, which the caller may close at once.
  ///
  /// Only a hint, because a sync must still follow: skipping it loses nothing.
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
