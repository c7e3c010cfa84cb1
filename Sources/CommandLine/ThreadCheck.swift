internal import Dispatch
package import System

/// Checks whether the system provides the threads that libraries rely on.
package enum ThreadCheck {
  /// The number of threads that a store's connections and their queues use at once.
  private static let count = 8

  /// Checks that this process can start the threads. Otherwise, callers of Dispatch queues would wait forever
  /// for a thread that a limit forbids.
  ///
  /// - Throws: `StageFailure` if the system provides too few threads.
  package static func require() throws(StageFailure) {
    let (rest, gone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var started = 0
    while started < count,
      SideThread.start(
        stackSize: 0,
        {
          rest.wait()
          gone.signal()
        })
    {
      started += 1
    }
    for _ in 0..<started { rest.signal() }
    for _ in 0..<started { gone.wait() }
    guard started == count else {
      throw StageFailure(
        .tryAgain,
        "cannot start \(count) threads: the system allows this process only \(started) more. Reduce --threads, or raise the "
          + "limits: 'ulimit -v' and 'ulimit -u' in a shell, LimitAS and TasksMax in a systemd service."
      )
    }
  }
}
