internal import Glibc

/// What is told to people: always on standard error, so that standard output carries results alone.
package enum Console {
  /// Whether standard error is a terminal, on which a line may be drawn over.
  package static var isTerminal: Bool { isatty(2) == 1 }

  package static func tell(_ line: String) {
    write(line + "\n", to: 2)
  }

  /// Draws `line` over the last one, on a terminal only.
  package static func draw(_ line: String) {
    if isTerminal { write("\r\u{1B}[K" + line, to: 2) }
  }

  /// One line of the result.
  package static func result(_ line: String) {
    write(line + "\n", to: 1)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBufferPointer {
        unsafe Glibc.write(descriptor, $0.baseAddress.map { unsafe $0 + done }, $0.count - done)
      }
      if count < 0, errno == EINTR { continue }
      // Nobody reads: there is nobody to tell.
      guard count > 0 else { return }
      done += count
    }
  }
}
