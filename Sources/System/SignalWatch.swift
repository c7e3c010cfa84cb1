internal import CLinux
internal import Glibc

/// The signals that ask a process to stop, handed to a thread that may do anything about them.
package enum SignalWatch {
  /// From now on SIGINT, SIGTERM and SIGHUP do not end this process: each is handed to `handle`. Signals that are ignored
  /// stay so, as under nohup. Without a thread or a pipe for them, signals end this process as they end any other.
  ///
  /// - Parameter handle: Receives the number of each signal, on a thread of its own. To be set once per process.
  package static func start(_ handle: @escaping @Sendable (Int32) -> Void) {
    var ends: [Int32] = [0, 0]
    guard unsafe linux_pipe(&ends) == 0 else { return }
    let (reading, writing) = (ends[0], ends[1])
    // Before the handlers: a signal then always finds somebody.
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
