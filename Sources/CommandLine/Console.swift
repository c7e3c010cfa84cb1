internal import Glibc
internal import Synchronization

/// Messages to people. They always go to standard error, so that standard output contains only results.
package enum Console {
  /// Whether standard error is a terminal, on which a line can be redrawn.
  package static var isTerminal: Bool { isatty(2) == 1 }

  /// Whether this process's run reports events for programs.
  static var printsEvents: Bool { unsafe getenv(eventsKey) != nil }

  /// Whether standard output is a terminal.
  package static var resultsAreOnTerminal: Bool { isatty(1) == 1 }

  /// Makes this process and its children report only events.
  package static func printEvents() { unsafe setenv(eventsKey, "1", 1) }

  private static let eventsKey = "NIGHTJAR_EVENTS"

  package static func print(_ line: String) {
    write(line + "\n", to: 2)
  }

  /// Draws `line` over the last line. Only on a terminal.
  package static func draw(_ line: String) {
    if isTerminal { write("\r\u{1B}[K" + line, to: 2) }
  }

  /// Prints one line of the result.
  ///
  /// If the line cannot be written, `lostResult` becomes true, and the program must not exit with success.
  package static func result(_ line: String) {
    if !write(line + "\n", to: 1) { hasLostResult.store(true, ordering: .relaxed) }
  }

  /// Whether a result could not be written, for example to a full disk. A closed pipe does not count.
  package static var lostResult: Bool { hasLostResult.load(ordering: .relaxed) }

  private static let hasLostResult = Atomic(false)

  @discardableResult
  private static func write(_ text: String, to descriptor: Int32) -> Bool {
    let bytes = Array(text.utf8)
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBufferPointer {
        unsafe Glibc.write(descriptor, $0.baseAddress.map { unsafe $0 + done }, $0.count - done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count < 0 && errno == EPIPE }
      done += count
    }
    return true
  }
}
