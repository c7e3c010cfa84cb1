internal import CLinux

/// A separate thread, or a report that the system has none.
package enum SideThread {
  /// Enough for a thread that waits for a disk or a child process. Much less than the default, because address space may be
  /// limited.
  package static let smallStack = 1 << 18

  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  /// Runs `body` on a separate thread.
  ///
  /// Does not use Foundation's `Thread`, which does not report a failed start: a caller that waits for it would wait forever.
  ///
  /// - Parameters:
  ///   - stackSize: Its stack in bytes; 0 for the system's default.
  ///   - body: The work.
  /// - Returns: Whether the thread started; if not, `body` never runs.
  package static func start(stackSize: Int = smallStack, _ body: @escaping @Sendable () -> Void) -> Bool {
    unsafe start(stackSize, body, nil)
  }

  /// Calls `body` on up to `count` threads at once, including the calling one, and returns after all calls have returned.
  ///
  /// If the system provides fewer threads, it makes fewer calls, but at least one; so `body` must take work from a shared queue
  /// until it is empty. Does not use Dispatch, which waits forever for a thread that a limit forbids.
  ///
  /// - Parameters:
  ///   - count: At least 1.
  ///   - body: Does part of the work.
  package static func crew(_ count: Int, _ body: @Sendable () -> Void) {
    withoutActuallyEscaping(body) { body in
      var threads: [UInt] = []
      while threads.count < count - 1 {
        var thread: UInt = 0
        guard unsafe start(0, body, &thread) else { break }
        threads.append(thread)
      }
      body()
      // Not a dispatch group that each thread leaves, because the thread would retain `body` a moment longer.
      for thread in threads { linux_join_thread(thread) }
    }
  }

  private static func start(
    _ stackSize: Int, _ body: @escaping @Sendable () -> Void, _ thread: UnsafeMutablePointer<UInt>?
  ) -> Bool {
    let work = unsafe Unmanaged.passRetained(Work(body))
    let code = unsafe linux_start_thread(
      { argument in
        guard let argument = unsafe argument else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, work.toOpaque(), stackSize, thread)
    if code != 0 { unsafe work.release() }
    return code == 0
  }
}
