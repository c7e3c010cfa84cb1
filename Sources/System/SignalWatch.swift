internal import CLinux
internal import Glibc

/// Passes stop signals to a thread. Unlike a signal handler, a thread may run any code.
package enum SignalWatch {
  /// Passes SIGINT, SIGTERM and SIGHUP to `handle` instead of ending this process. Ignored signals stay
  /// ignored, as under nohup. If no thread or pipe is available, signals end this process as usual.
  ///
  /// Call this method at most once per process.
  ///
  /// - Parameter handle: Receives the number of each signal, on a separate thread.
  package static func start(_ handle: @escaping @Sendable (Int32) -> Void) {
    var ends: [Int32] = [0, 0]
    guard unsafe linux_pipe(&ends) == 0 else { return }
    let (reading, writing) = (ends[0], ends[1])
    // The thread starts before the handlers are set, so that each signal is read.
    let isHandled = SideThread.start(stackSize: 0) {
      while true {
        var byte: UInt8 = 0
        let count = unsafe read(reading, &byte, 1)
        if count == 1 { handle(Int32(byte)) } else if errno != EINTR { return }
      }
    }
    if isHandled { _ = linux_watch_signals(writing) }
  }
}
