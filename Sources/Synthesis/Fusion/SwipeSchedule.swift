internal import Concurrency

/// The times and users of all swipes of the export, in time order. The targets are chosen later.
struct SwipeSchedule: Sendable {
  /// A swipe without its target.
  struct PlannedSwipe: Hashable, Sendable {
    /// The time in the file: whole seconds if the person's app writes no milliseconds.
    var at: Int64
    var person: Int
  }

  private(set) var entries: [PlannedSwipe] = []

  /// Distributes the swipes of `plan` over sessions. The time of the last entry is exactly `rhythm.end`.
  ///
  /// - Complexity: O(n log n) for n swipes.
  init(plan: ActivityPlan, people: [FusionPerson], seed: UInt64, rhythm: DailyRhythm) {
    entries.reserveCapacity(plan.counts.reduce(0, +))
    for person in people {
      var generator = SplitMix64(seed: seed, purpose: .sessions, index: person.index)
      // Sessions start at least a minute after the account was created, so that a time truncated to seconds
      // is not before the creation. They start at least half an hour before the end, because every session is
      // shorter than half an hour.
      let first = max(rhythm.start, person.createdAt + 60 * CivilTime.second)
      let last = min(rhythm.end, person.leavesAt) - 30 * 60 * CivilTime.second
      var left = plan.counts[person.index]
      while left > 0 {
        let size = min(left, Self.sessionSize(using: &generator))
        var at = rhythm.next(in: first..<last, using: &generator)
        for _ in 0..<size {
          let written = person.writesMilliseconds ? at : at - at % CivilTime.second
          entries.append(PlannedSwipe(at: written, person: person.index))
          at += Int64(generator.nextInteger(in: 1_500...Self.longestPause))
        }
        left -= size
      }
    }
    entries.sort { ($0.at, $0.person) < ($1.at, $1.person) }
    if let newest = entries.lastIndex(where: { !people[$0.person].isDeleted }) {
      var entry = entries.remove(at: newest)
      entry.at = rhythm.end
      entries.append(entry)
    }
  }

  private static let longestPause = 60_000
  private static let longestSession = 25

  /// Draws the number of swipes of a session. It is at least 1, and about 8 on average.
  private static func sessionSize(using generator: inout SplitMix64) -> Int {
    var size = 1
    while size < longestSession, generator.nextBool(probability: 0.88) { size += 1 }
    return size
  }
}
