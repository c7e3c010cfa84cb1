internal import CLinux

/// Starts threads, and reports whether the system could start them.
package enum SideThread {
  /// The stack size for a thread that mostly waits for a disk or a child process. It is much smaller than the
  /// default, because address space may be limited.
  package static let smallStack = 1 << 18

  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }

  /// Runs `body` on a separate thread.
  ///
  /// Foundation's `Thread` does not report a failed start, so a caller could wait forever for a thread that
  /// never runs.
  ///
  /// - Parameters:
  ///   - stackSize: The size of the stack in bytes; 0 for the system's default.
  ///   - body: The work of the thread.
  /// - Returns: Whether the thread started. If not, `body` never runs.
  package static func start(stackSize: Int = smallStack, _ body: @escaping @Sendable () -> Void) -> Bool {
    unsafe start(stackSize, body, nil)
  }

  /// Calls `body` on up to `count` threads at once, including the calling thread, and returns after all calls
  /// have returned.
  ///
  /// If the system provides fewer threads, `body` is called fewer times, but at least once. Each call of
  /// `body` must therefore take work from a shared queue until the queue is empty. Dispatch is unsuitable,
  /// because it waits forever if a limit forbids another thread.
  ///
  /// - Parameters:
  ///   - count: The number of threads, at least 1.
  ///   - body: Does a part of the work. Several threads call it at the same time.
  package static func crew(_ count: Int, _ body: @Sendable () -> Void) {
    withoutActuallyEscaping(body) { body in
      var threads: [UInt] = []
      while threads.count < count - 1 {
        var thread: UInt = 0
        guard unsafe start(0, body, &thread) else { break }
        threads.append(thread)
      }
      body()
      // The threads are joined, because a thread may retain `body` even after `body` returns. A dispatch
      // group would wait only until `body` returns.
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
