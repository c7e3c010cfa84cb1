internal import Concurrency

/// The text of `swipes.csv`: a header, and one row per swipe in time order.
struct FusionSwipeRows {
  static let header = "swiper_id,target_id,direction,swiped_at\n"

  private let population: FusionPopulation
  /// A separate generator for the content of faulty rows, so that faulty rows do not change other rows.
  private var generator: SplitMix64
  /// The number of wordings used so far, by broken rule. Successive rows that break a rule use different
  /// wordings.
  private var turns: [BrokenRule: Int] = [:]

  private static let badTimes = [
    "2026-02-30T10:00:00Z", "soon", "20/10/2026 19:04", "2026-13-01T08:00:00Z", "last Tuesday",
    "2026-10-20T25:04:11Z",
  ]
  private static let unknownDirections = ["up", "rigth", "RIGHT", "super"]

  init(_ population: FusionPopulation) {
    self.population = population
    generator = SplitMix64(seed: population.seed, purpose: .planting, index: 1)
  }

  /// Returns the row of a swipe, including the line feed.
  mutating func line(_ swipe: Swipe) -> String {
    let people = population.people
    var swiper = people[swipe.swiper].id
    var target = people[swipe.target].id
    var direction = swipe.isLike ? "right" : "left"
    var time = "," + CivilTime.text(swipe.at, people[swipe.swiper].writesMilliseconds ? .milliseconds : .none)
    switch swipe.fault {
    case .targetIsGone: target = FusionIdentity.goneText(users: people.count, using: &generator)
    case .swiperIsGone: swiper = FusionIdentity.goneText(users: people.count, using: &generator)
    case .onOneself: target = swiper
    case .badTime: time = "," + nextWording(of: .badTime, from: Self.badTimes)
    case .unknownDirection: direction = nextWording(of: .unknownValue, from: Self.unknownDirections)
    case .emptySwiper: swiper = ""
    case .emptyTarget: target = ""
    case .missingField: time = ""
    case .byRejected(let person): swiper = people[person].id
    case .onRejected(let person): target = people[person].id
    case nil: break
    }
    return swiper + "," + target + "," + direction + time + "\n"
  }

  private mutating func nextWording(of rule: BrokenRule, from wordings: [String]) -> String {
    let turn = turns[rule, default: 0]
    turns[rule] = turn + 1
    return wordings[turn % wordings.count]
  }
}
