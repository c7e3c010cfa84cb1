internal import CLinux

/// A thread of its own, or the knowledge that there is none.
package enum SideThread {
  /// Enough for whoever waits for a disk or a child process; a small part of what threads get by default, as addresses may be
  /// limited.
  package static let smallStack = 1 << 18

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
  /// - Parameters:
  ///   - stackSize: Its stack in bytes; 0 for the system's default.
  ///   - body: Does the work.
  /// - Returns: Whether there is such a thread; else `body` is never run, and the caller does without.
  package static func start(stackSize: Int = smallStack, _ body: @escaping @Sendable () -> Void) -> Bool {
    unsafe start(stackSize, body, nil)
  }

  /// Calls `body` on up to `count` threads at once, the calling one included, and returns when all calls have.
  ///
  /// Where the system gives fewer threads, fewer calls are made, and at least one: `body` takes from what is to be done until
  /// nothing is left. Not by Dispatch's threads: it waits for ever for one that a limit does not allow.
  ///
  /// - Parameters:
  ///   - count: At least 1.
  ///   - body: Does a part of the work.
  package static func crew(_ count: Int, _ body: @Sendable () -> Void) {
    withoutActuallyEscaping(body) { body in
      var threads: [UInt] = []
      while threads.count < count - 1 {
        var thread: UInt = 0
        guard unsafe start(0, body, &thread) else { break }
        threads.append(thread)
      }
      body()
      // Not by a group that each leaves: its thread would hold `body` for a moment longer.
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
