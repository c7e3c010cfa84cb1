/// The progress of a stage. The stage's threads count their finished work, and another thread reads the
/// count.
///
/// A stage counts its work here and does not print the count. The caller decides how to show it.
package final class WorkProgress: Sendable {
  /// The progress at one moment.
  package struct State: Hashable, Sendable {
    /// The counted unit in the plural, such as `users`; empty before the count begins. The unit `bytes` is
    /// shown as megabytes.
    package var unit: String
    package var done: Int
    /// The final count; 0 if it is unknown.
    package var total: Int
    /// The current step, such as `prior, pass 3`; empty if the count alone describes the progress.
    package var step: String
    /// The part of the work to which the count and the step belong, such as `near, lists`; empty if the count
    /// covers the whole work.
    package var part: String

    package init(unit: String = "", done: Int = 0, total: Int = 0, step: String = "", part: String = "") {
      (self.unit, self.done, self.total, self.step, self.part) = (unit, done, total, step, part)
    }
  }

  /// The point from which the rate is measured: the beginning of the count, or the end of the last step
  /// without a count. The time of such a step would make the rate too low.
  package struct Start: Sendable {
    package var done = 0
    package var time = ContinuousClock.now
  }

  private let guarded = Guarded((state: State(), start: Start()))

  package init() {}

  package var state: State { guarded.withLock { $0.state } }

  /// The progress, and the point from which its rate is measured.
  package var measured: (state: State, start: Start) { guarded.withLock { $0 } }

  /// Begins the part of the work with the name `part`. It has no count until `begin(_:total:)`.
  package func begin(part: String) {
    guarded.withLock { $0 = (State(part: part), Start()) }
  }

  /// Begins to count `unit` from 0. `total` is the final count, or 0 if it is unknown.
  package func begin(_ unit: String, total: Int) {
    guarded.withLock { $0 = (State(unit: unit, total: total, part: $0.state.part), Start()) }
  }

  /// Adds `count` finished units, and clears the current step.
  package func add(_ count: Int) {
    guarded.withLock { work in
      work.state.done += count
      if !work.state.step.isEmpty { work.start = Start(done: work.state.done) }
      work.state.step = ""
    }
  }

  /// Sets the count and the current step.
  package func set(done: Int, step: String = "") {
    guarded.withLock { ($0.state.done, $0.state.step) = (done, step) }
  }

  /// Sets the current step, which has no count of its own.
  package func step(_ step: String) {
    guarded.withLock { $0.state.step = step }
  }
}
