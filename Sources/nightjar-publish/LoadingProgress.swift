import CommandLine
import Text

/// What a person sees on a terminal while a store is loaded: `  publish   partners 417 792, 208 896 rows/s`.
final class LoadingProgress {
  private let isShown: Bool
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var drawn: ContinuousClock.Instant
  /// Rows of the tables that are complete, and of the open one.
  private var (complete, open) = (0, 0)

  /// How long a line stands at least.
  private static let pause = Duration.milliseconds(200)

  init(isShown: Bool) {
    self.isShown = isShown && Console.isTerminal
    start = clock.now
    drawn = start
  }

  /// Notes how many rows of a table there are, and draws it if the last line stood long enough.
  func show(_ name: String, rows: Int) {
    if rows < open { complete += open }
    open = rows
    let now = clock.now
    guard isShown, now - drawn >= Self.pause else { return }
    drawn = now
    let rate = Double(complete + open) / start.duration(to: now).inSeconds
    Console.draw("  publish   \(ShownText.encoded(name)) \(rows.grouped), \(Int(rate).grouped) rows/s")
  }

  /// Runs `body`, and then takes the line away.
  func shown<Result>(_ body: () throws -> Result) rethrows -> Result {
    defer { if isShown { Console.draw("") } }
    return try body()
  }
}
