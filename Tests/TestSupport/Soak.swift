import Foundation
internal import Synchronization

/// The length of the tests of bad nights: short in an ordinary test run, full under `make soak`.
public enum Soak {
  /// The value of `NIGHTJAR_SOAK`: 1 for the whole soak, 0.1 for a tenth of it; `nil` if it is not set.
  private static let share = ProcessInfo.processInfo.environment["NIGHTJAR_SOAK"].flatMap { Double($0) }

  /// Whether this is more than the short form.
  public static var isOn: Bool { share != nil }

  /// `short` in an ordinary run. Under `make soak`, the requested share of `long`, but at least `short`.
  public static func count(_ short: Int, soak long: Int) -> Int {
    guard let share else { return short }
    return max(short, Int((Double(long) * share).rounded(.up)))
  }
}

/// Counts over several test cases, printed when the last case is done.
public final class Tally: Sendable {
  private struct State {
    var counts: [(name: String, count: Int)] = []
    var cases: Int
  }

  private let title: String
  private let state: Mutex<State>

  /// - Parameters:
  ///   - title: What the line begins with.
  ///   - cases: How many cases call `end`.
  public init(_ title: String, cases: Int) {
    self.title = title
    state = Mutex(State(cases: cases))
  }

  /// Adds `count` under `name`; names are printed in the order in which they first came, or were announced by a 0.
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

  /// One case is over; the last one prints the line.
  public func end() {
    let line = state.withLock { state -> String? in
      state.cases -= 1
      guard state.cases == 0 else { return nil }
      return state.counts.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    }
    if let line { print("soak: \(title): \(line)") }
  }
}
