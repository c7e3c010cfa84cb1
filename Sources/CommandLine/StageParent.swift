internal import CLinux
internal import Foundation
internal import Glibc
internal import System

/// The process that started this one as a stage of its run.
package enum StageParent {
  /// The environment variable with its number.
  static let parentKey = "NIGHTJAR_PARENT"
  /// The environment variable with the descriptor of the lock that it holds.
  static let lockKey = "NIGHTJAR_LOCK"

  /// Whether there is one: it then speaks for both.
  static var isThere: Bool { ProcessInfo.processInfo.environment[parentKey] != nil }

  /// To be called first by every stage's process: asks to die with the process that started it.
  ///
  /// - Returns: The descriptor of the lock that the starting process holds, or `nil` for a stage run by hand.
  package static func inherit() -> Int32? {
    let environment = ProcessInfo.processInfo.environment
    guard let parent = environment[parentKey].flatMap(Int32.init) else { return nil }
    _ = linux_signal_on_parent_death(SIGKILL)
    // The parent may have died before the request; no process waits for this stage then.
    if getppid() != parent { exit(ExitStatus.tryAgain.rawValue) }
    guard let lock = environment[lockKey].flatMap(Int32.init), fcntl(lock, F_GETFD) >= 0 else { return nil }
    return lock
  }
}
