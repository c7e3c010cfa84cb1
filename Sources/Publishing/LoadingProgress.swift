internal import System
internal import Text

/// The progress line of a store that is being loaded: `  publish   partners 417 792, 208 896 rows/s`.
package struct LoadingProgress {
  private let start: ContinuousClock.Instant
  private var drawn: ContinuousClock.Instant
  /// Rows of the tables that are complete, and of the open one.
  private var (complete, open) = (0, 0)

  /// The shortest time between two lines.
  static let pause = Duration.milliseconds(200)

  /// Loading begins at `start`.
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
  /// - Returns: The line, with the mean rate since `start`; `nil` within 200 ms of the last one.
  package mutating func line(_ name: String, rows: Int, at now: ContinuousClock.Instant = .now) -> String? {
    if rows < open { complete += open }
    open = rows
    guard now - drawn >= Self.pause else { return nil }
    drawn = now
    let rate = Double(complete + open) / start.duration(to: now).inSeconds
    return "  publish   \(ShownText.encoded(name)) \(rows.grouped), \(Int(rate).grouped) rows/s"
  }
}
