internal import CLinux

/// A thread that waits for something else than a processor, such as a disk or a child process.
package enum SideThread {
  /// Enough for calls of the system; a small part of what threads get by default, as addresses may be limited.
  private static let stackSize = 1 << 18

  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  /// Runs `body` on a thread of its own.
  ///
  /// Not by Foundation's `Thread`, which does not tell where the system gives none: whoever waits for it then waits for ever.
  ///
  /// - Parameter body: Does the work, and needs little of a stack.
  /// - Returns: Whether there is such a thread; else `body` is never run, and the caller does without.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let work = unsafe Unmanaged.passRetained(Work(body))
    let code = unsafe linux_start_thread(
      { argument in
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, work.toOpaque(), stackSize)
    if code != 0 { unsafe work.release() }
    return code == 0
  }
}
