internal import Glibc
internal import Synchronization
package import Text

/// The output of the process. Results go to standard output. Messages for people and events for programs go
/// to standard error.
package enum Console {
  /// Whether standard error is a terminal on which a line can be redrawn. With `TERM=dumb`, lines cannot be
  /// redrawn.
  package static var canRedraw: Bool { width(of: 2) != nil && !isDumb }

  /// Whether this process reports events for programs instead of human-readable messages.
  package static var printsEvents: Bool { unsafe getenv(eventsKey) != nil }

  /// Whether results have colors: on a terminal that can show them, unless `NO_COLOR` is set.
  package static var colorsResults: Bool {
    guard isatty(1) == 1, !isDumb else { return false }
    return unsafe getenv("NO_COLOR") == nil
  }

  /// Whether `TERM=dumb` states that the terminal understands no control sequences.
  private static var isDumb: Bool {
    let name = unsafe getenv("TERM").map { unsafe String(cString: $0) }
    return name == "dumb"
  }

  /// The width of the terminal to which standard output goes, in columns; `nil` if standard output is not a
  /// terminal or the width is unknown.
  package static var resultWidth: Int? { width(of: 1) }

  private static func width(of descriptor: Int32) -> Int? {
    var size = winsize()
    guard isatty(descriptor) == 1, unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0
    else {
      return nil
    }
    return Int(size.ws_col)
  }

  /// Makes this process and its children report only events.
  package static func printEvents() { unsafe setenv(eventsKey, "1", 1) }

  private static let eventsKey = "NIGHTJAR_EVENTS"

  /// Prints one line for programs on standard error, without wrapping the line to the width of the terminal.
  static func print(whole line: String) { write(line + "\n", to: 2) }

  /// Prints `lines` on standard error. On a terminal, a line that is too wide continues on the next line,
  /// after `indent` spaces.
  package static func print(_ lines: String, indent: Int = 2) {
    guard let width = width(of: 2) else {
      write(lines + "\n", to: 2)
      return
    }
    for line in lines.split(separator: "\n", omittingEmptySubsequences: false) {
      write(String(line).wrapped(to: width, indent: indent).joined(separator: "\n") + "\n", to: 2)
    }
  }

  /// Replaces the last drawn line with `line`, truncated to the width of the terminal. An empty `line` only
  /// removes the drawn line. Does nothing if `canRedraw` is false.
  package static func draw(_ line: String) {
    guard canRedraw, let width = width(of: 2) else { return }
    write("\r\u{1B}[K" + (line.isEmpty ? "" : line.cut(to: width - 1)), to: 2)
  }

  /// Prints the lines of a result in `format`. In text for a terminal, a line that is too wide continues on
  /// the next line. JSON and CSV are never wrapped.
  package static func result(_ lines: [String], in format: ResultFormat = .text(width: Console.resultWidth)) {
    guard case .text(let width) = format else { return lines.forEach { result($0) } }
    lines.wrapped(to: width).forEach { result($0) }
  }

  /// Prints one line of a result that other programs can read, such as a path. The line is never wrapped.
  ///
  /// If the line cannot be written, `lostResult` becomes true, and this process must exit with an error
  /// status.
  package static func result(_ line: String) {
    if !write(line + "\n", to: 1) { hasLostResult.store(true, ordering: .relaxed) }
  }

  /// Prints `value` as JSON.
  package static func result(json value: JSONValue) {
    result(String(decoding: value.pretty, as: UTF8.self))
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
