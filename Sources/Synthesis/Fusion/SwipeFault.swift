internal import Concurrency

/// The fault of a row of `swipes.csv` that is broken on purpose.
enum SwipeFault: Hashable, Sendable {
  case targetIsGone, swiperIsGone, onOneself, badTime, unknownDirection, emptySwiper, emptyTarget,
    missingField
  /// A swipe by or on the person with this index, whose document is rejected.
  case byRejected(Int)
  case onRejected(Int)

  /// The only rule that a row with this fault breaks.
  var rule: BrokenRule {
    switch self {
    case .targetIsGone, .onRejected: .unknownCandidate
    case .swiperIsGone, .byRejected: .unknownUser
    case .onOneself: .selfInteraction
    case .badTime: .badTime
    case .unknownDirection: .unknownValue
    case .emptySwiper, .emptyTarget: .missingID
    case .missingField: .wrongFieldCount
    }
  }

  /// The number of rows with each fault, per 60,000 rows.
  private static let shares: [(SwipeFault, Int)] = [
    (.targetIsGone, 12), (.swiperIsGone, 8), (.onOneself, 6), (.badTime, 6), (.unknownDirection, 8),
    (.emptySwiper, 5), (.emptyTarget, 4), (.missingField, 3),
  ]

  /// Selects the entries of a schedule that become faulty rows.
  ///
  /// The number of rows with each fault is proportional to the length of the schedule and rounded down. The
  /// share of faulty rows therefore stays well below 1%, even in a small export. Each person with a rejected
  /// document gets 0 to 3 faulty rows. The newest row and the rows of people with few swipes are excluded.
  static func plan(
    for schedule: SwipeSchedule, plan: ActivityPlan, seed: UInt64
  ) -> [Int: SwipeFault] {
    let total = schedule.entries.count
    var faults: [SwipeFault] = BrokenRule.planted(shares, rows: total, whole: 60_000)
    let rejected = plan.habits.indices.filter { plan.habits[$0] == .rejected }
    for (order, person) in rejected.enumerated() {
      for row in 0..<order % 4 { faults.append(row % 2 == 0 ? .onRejected(person) : .byRejected(person)) }
    }
    var generator = SplitMix64(seed: seed, purpose: .planting)
    var planned: [Int: SwipeFault] = [:]
    let places = generator.nextPermutation(of: max(0, total - 1)).lazy.filter { place in
      let person = schedule.entries[place].person
      return plan.habits[person] == .ordinary && plan.counts[person] >= 5
    }
    for (fault, place) in zip(faults, places) { planned[place] = fault }
    return planned
  }
}
