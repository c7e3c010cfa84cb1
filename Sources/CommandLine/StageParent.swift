internal import CLinux
internal import Foundation
internal import Glibc
package import System

/// The process that started this process as a stage of its run.
package enum StageParent {
  /// The environment variable with the parent's process id.
  static let parentKey = "NIGHTJAR_PARENT"
  /// The environment variable with the descriptor of the parent's lock.
  static let lockKey = "NIGHTJAR_LOCK"

  /// Whether a run started this process. If so, the run reports an interruption for both processes.
  static var exists: Bool { ProcessInfo.processInfo.environment[parentKey] != nil }

  /// Makes this process end when its parent ends. The process of every stage calls this method first.
  ///
  /// - Returns: The descriptor of the parent's lock; `nil` if no run started this process, or if the
  ///   descriptor is not open.
  /// - Throws: `StageFailure` if the parent is not the process that the environment names.
  package static func inherit() throws(StageFailure) -> Int32? {
    let environment = ProcessInfo.processInfo.environment
    guard let parent = environment[parentKey].flatMap(Int32.init) else { return nil }
    _ = linux_signal_on_parent_death(SIGKILL)
    // The parent may have died before the call, or another program may have started this process with the
    // environment of a stage. Without the parent, no process would hold the lock or report the stage.
    let own = getppid()
    guard own == parent else {
      throw StageFailure(
        .tryAgain,
        "cannot start: \(parentKey) names process \(parent) as the run of this stage, but the parent is process \(own). Start "
          + "the run again with 'nightjar run', or unset \(parentKey) to run the stage by hand.")
    }
    guard let lock = environment[lockKey].flatMap(Int32.init), fcntl(lock, F_GETFD) >= 0 else { return nil }
    return lock
  }
}
