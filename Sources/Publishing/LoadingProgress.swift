internal import System
internal import Text

/// The progress line of a store that is being loaded: `  publish   partners 417 792, 208 896 rows/s`.
package struct LoadingProgress {
  private let start: ContinuousClock.Instant
  private var drawn: ContinuousClock.Instant
  /// The number of rows in complete tables, and in the table being loaded.
  private var (complete, open) = (0, 0)

  /// The minimum time between two lines.
  static let pause = Duration.milliseconds(200)

  /// Starts measuring at `start`.
  package init(start: ContinuousClock.Instant = .now) {
    self.start = start
    drawn = start
  }

  /// Counts the rows of a table, and returns the line to draw.
  ///
  /// - Parameters:
  ///   - name: The table being loaded.
  ///   - rows: The number of its loaded rows. A smaller number than before means another table.
  ///   - now: The time of the call.
  /// - Returns: The line, with the mean rate since `start`; `nil` if the last line is less than 200 ms old.
  package mutating func line(_ name: String, rows: Int, at now: ContinuousClock.Instant = .now) -> String? {
    if rows < open { complete += open }
    open = rows
    guard now - drawn >= Self.pause else { return nil }
    drawn = now
    let rate = Double(complete + open) / start.duration(to: now).inSeconds
    return "  publish   \(ShownText.encoded(name)) \(rows.grouped), \(Int(rate).grouped) rows/s"
  }
}
