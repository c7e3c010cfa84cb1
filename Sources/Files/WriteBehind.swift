internal import CLinux
internal import Glibc
internal import Synchronization
internal import System

/// Has the kernel begin to write files to the disk while a stage goes on.
///
/// On threads of its own: where the disk has more to do than it takes at a time, even this waits, and whoever writes should not.
enum WriteBehind {
  private static let waiting = Atomic(0)

  /// So many threads at once: where the disk does not follow, more hints do not help.
  private static let most = 8

  /// Begins with what the kernel holds of an open file, which may be closed at once.
  ///
  /// A hint, as a sync has still to follow: nothing is lost where it is left out.
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
