internal import Foundation
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

extension Int {
  /// With thin groups of three, as in `60 000`.
  package var grouped: String {
    let digits = String(magnitude)
    var groups: [Substring] = []
    var rest = digits[...]
    while rest.count > 3 {
      groups.insert(rest.suffix(3), at: 0)
      rest = rest.dropLast(3)
    }
    groups.insert(rest, at: 0)
    return (self < 0 ? "-" : "") + groups.joined(separator: " ")
  }

  /// `1 list`, `2 lists`, `2 matches`.
  package func counted(_ singular: String, _ plural: String? = nil) -> String {
    grouped + " " + (self == 1 ? singular : plural ?? singular + "s")
  }
}

extension Double {
  /// With a fixed number of decimals, whatever the locale.
  package func fixed(_ decimals: Int) -> String {
    String(format: "%.\(decimals)f", self)
  }
}
