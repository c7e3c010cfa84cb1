import Foundation
internal import Synchronization

/// The length of the tests with failing runs: short in an ordinary test run, full under `make
/// soak`.
public enum Soak {
  /// The value of `NIGHTJAR_SOAK`, or `nil` if it is not set. 1 is the full length, and 0.1 is a
  /// tenth of it.
  private static let share = ProcessInfo.processInfo.environment["NIGHTJAR_SOAK"].flatMap { Double($0) }

  /// Whether `NIGHTJAR_SOAK` is set, so that the tests may be longer than in an ordinary test run.
  public static var isOn: Bool { share != nil }

  /// Returns `short` in an ordinary test run. Under `make soak`, returns the requested share of
  /// `long`, but at least `short`.
  public static func count(_ short: Int, soak long: Int) -> Int {
    guard let share else { return short }
    return max(short, Int((Double(long) * share).rounded(.up)))
  }
}

/// Counts over several test cases. The last case prints them.
public final class Tally: Sendable {
  private struct State {
    var counts: [(name: String, count: Int)] = []
    var cases: Int
  }

  private let title: String
  private let state: Mutex<State>

  /// - Parameters:
  ///   - title: The start of the printed line.
  ///   - cases: The number of cases that call `end`.
  public init(_ title: String, cases: Int) {
    self.title = title
    state = Mutex(State(cases: cases))
  }

  /// Adds `count` to the counter `name`. Counters are printed in the order in which they were first
  /// used.
  public func add(_ name: String, _ count: Int = 1) {
    state.withLock { state in
      if let index = state.counts.firstIndex(where: { $0.name == name }) {
        state.counts[index].count += count
      } else {
        state.counts.append((name, count))
      }
    }
  }

  /// The current count of `name`.
  public func count(_ name: String) -> Int {
    state.withLock { state in state.counts.first { $0.name == name }?.count ?? 0 }
  }

  /// Ends one case. The last case prints the line.
  public func end() {
    let line = state.withLock { state -> String? in
      state.cases -= 1
      guard state.cases == 0 else { return nil }
      return state.counts.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    }
    if let line { print("soak: \(title): \(line)") }
  }
}
