package import Concurrency
internal import Dispatch
internal import Files
package import RunSchemas
internal import System
internal import Text

/// Shows the progress of a running stage. On a terminal, the reporter redraws one line. Otherwise, it prints
/// a line or an event every 30 s.
package final class ProgressReporter {
  /// The form of the updates and the time between two updates.
  package enum Style: Sendable {
    /// A line on a terminal, which is redrawn every 200 ms after the first two seconds.
    case drawn
    /// A line in a log every 30 s.
    case lines
    /// An event every 30 s.
    case events

    /// The style for this process: `events` if it reports events, otherwise `drawn` on a terminal that can
    /// redraw lines and `lines` elsewhere.
    package static var usual: Style {
      Console.printsEvents ? .events : Console.canRedraw ? .drawn : .lines
    }

    /// The time before the first update, and the time between two updates, in seconds.
    var seconds: (first: Double, between: Double) { self == .drawn ? (2, 0.2) : (30, 30) }
  }

  private let timer: any DispatchSourceTimer
  private let style: Style

  /// Begins to show `progress`.
  ///
  /// - Parameters:
  ///   - progress: The counts that the stage updates.
  ///   - stage: The stage that the lines or events name.
  ///   - pipeline: The name of the pipeline, for events.
  ///   - run: The run directory. If its name is a number, the events contain this number.
  ///   - style: The form of the updates.
  package init(
    _ progress: WorkProgress, of stage: Stage, pipeline: String, run: String, style: Style = .usual
  ) {
    self.style = style
    let start = ContinuousClock.now
    let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
    let seconds = style.seconds
    timer.schedule(
      deadline: .now() + seconds.first, repeating: seconds.between, leeway: .milliseconds(50))
    timer.setEventHandler {
      let (state, counting) = progress.measured
      let text = ProgressText(
        state, seconds: start.duration(to: .now).inSeconds,
        since: (counting.done, start.duration(to: counting.time).inSeconds))
      switch style {
      case .drawn: Console.draw(text.line(stage.rawValue))
      case .lines: Console.print(text.line(stage.rawValue), indent: Stage.indent)
      case .events:
        let names: [String: JSONValue] = [
          "pipeline": .string(pipeline), "stage": .string(stage.rawValue),
          "run": Int(Directories.name(of: run)).map { .integer($0) } ?? .null,
        ]
        Console.print(event: "stage_progress", text.members.merging(names) { $1 })
      }
    }
    self.timer = timer
    timer.resume()
  }

  /// Stops showing the progress, and removes a drawn line. Call this method once, before you print other
  /// lines.
  package func end() {
    // The cancel handler runs after the last event handler, so no update is printed after the wait.
    let ended = DispatchSemaphore(value: 0)
    timer.setCancelHandler { ended.signal() }
    timer.cancel()
    ended.wait()
    if style == .drawn { Console.draw("") }
  }
}
