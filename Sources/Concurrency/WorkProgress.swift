/// The progress of a stage. The stage's threads count their finished work, and another thread reads the
/// count.
///
/// Library code never prints. It counts its work here, and the caller decides how to show the count.
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

    package init(unit: String = "", done: Int = 0, total: Int = 0, step: String = "") {
      (self.unit, self.done, self.total, self.step) = (unit, done, total, step)
    }
  }

  private let guarded = Guarded(State())

  package init() {}

  package var state: State { guarded.withLock { $0 } }

  /// Begins to count `unit` from 0. `total` is the final count, or 0 if it is unknown.
  package func begin(_ unit: String, total: Int) {
    guarded.withLock { $0 = State(unit: unit, total: total) }
  }

  /// Adds `count` finished units, and clears the current step.
  package func add(_ count: Int) {
    guarded.withLock { state in
      state.done += count
      state.step = ""
    }
  }

  /// Sets the count and the current step.
  package func set(done: Int, step: String = "") {
    guarded.withLock { ($0.done, $0.step) = (done, step) }
  }

  /// Sets the current step, which has no count of its own.
  package func step(_ step: String) {
    guarded.withLock { $0.step = step }
  }
}
