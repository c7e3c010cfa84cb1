internal import CLinux
internal import Foundation
internal import Glibc
internal import System

/// The process that started this process as a stage of its run.
package enum StageParent {
  /// The environment variable with the parent's process id.
  static let parentKey = "NIGHTJAR_PARENT"
  /// The environment variable with the descriptor of the parent's lock.
  static let lockKey = "NIGHTJAR_LOCK"

  /// Whether there is such a parent, which reports for both processes.
  static var isThere: Bool { ProcessInfo.processInfo.environment[parentKey] != nil }

  /// Makes this process end with its parent. Every stage's process calls this first.
  ///
  /// - Returns: The descriptor of the parent's lock; `nil` for a stage that is run by hand.
  package static func inherit() -> Int32? {
    let environment = ProcessInfo.processInfo.environment
    guard let parent = environment[parentKey].flatMap(Int32.init) else { return nil }
    _ = linux_signal_on_parent_death(SIGKILL)
    // The parent may have died before the call, and then no process waits for this stage.
    if getppid() != parent { exit(ExitStatus.tryAgain.rawValue) }
    guard let lock = environment[lockKey].flatMap(Int32.init), fcntl(lock, F_GETFD) >= 0 else { return nil }
    return lock
  }
}
