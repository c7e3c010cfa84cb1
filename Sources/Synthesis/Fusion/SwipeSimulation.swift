internal import Concurrency

/// One row of `swipes.csv` before it is written.
struct Swipe: Sendable {
  var at: Int64
  /// Indices of people. A faulty row may have other ids, or no id, in their place.
  var swiper: Int
  var target: Int
  var isLike: Bool
  /// Whether the swipe reverses an earlier swipe of the swiper on the target.
  var isChangeOfMind: Bool
  /// Whether the target had swiped on the swiper before. It is always false for a change of mind.
  var isAnswer: Bool
  var fault: SwipeFault?
}

/// Simulates which people see each other, one scheduled swipe after another.
///
/// Occasionally, a person sees someone again and changes their mind. Often, a person sees someone who has
/// already swiped on them. Otherwise, they see a new person from cities within 500 km, or rarely from
/// anywhere.
///
/// - Complexity: O(1) on average per swipe. Memory grows with the number of swipes.
struct SwipeSimulation {
  private let population: FusionPopulation
  private let schedule: SwipeSchedule
  private let habits: [ActivityPlan.Habit]
  private let faults: [Int: SwipeFault]
  private let neighbourhoods: Neighbourhoods
  private var generator: SplitMix64
  private var position = 0

  private struct Past {
    var target: Int
    var at: Int64
  }
  /// For each person, the valid swipes that may still be changed. Each swipe may be changed once.
  private var past: [[Past]]
  /// For each person, the people who have swiped on this person and have not yet been shown for that reason.
  private var waiting: [[Int]]
  /// Whether the latest swipe is a like, for each ordered pair of people.
  private var isLike: [UInt64: Bool] = [:]

  init(population: FusionPopulation, plan: ActivityPlan, schedule: SwipeSchedule) {
    self.population = population
    self.schedule = schedule
    habits = plan.habits
    faults = SwipeFault.plan(for: schedule, plan: plan, seed: population.seed)
    neighbourhoods = Neighbourhoods(population.people)
    generator = SplitMix64(seed: population.seed, purpose: .swiping)
    past = Array(repeating: [], count: population.people.count)
    waiting = past.map { _ in [] }
  }

  /// Returns the next row in time order; `nil` after the last one.
  mutating func next() -> Swipe? {
    guard position < schedule.entries.count else { return nil }
    defer { position += 1 }
    let entry = schedule.entries[position]
    let fault = faults[position]
    if fault == nil, let swipe = changeOfMind(entry) { return swipe }

    let target = targetForNewSwipe(entry)
    let isAnswer = isLike[pair(target, entry.person)] != nil
    let swipe = Swipe(
      at: entry.at, swiper: entry.person, target: target, isLike: drawLike(of: target, by: entry.person),
      isChangeOfMind: false, isAnswer: isAnswer, fault: fault)
    if fault == nil { record(swipe) }
    return swipe
  }

  /// Returns the number of pairs of people whose latest swipes on each other are both likes.
  func matchCount() -> Int {
    isLike.reduce(0) { count, entry in
      let (first, second) = (Int(entry.key >> 32), Int(entry.key & 0xFFFF_FFFF))
      return first < second && entry.value && isLike[pair(second, first)] == true ? count + 1 : count
    }
  }

  private func pair(_ user: Int, _ candidate: Int) -> UInt64 {
    UInt64(user) << 32 | UInt64(candidate)
  }

  private mutating func changeOfMind(_ entry: SwipeSchedule.PlannedSwipe) -> Swipe? {
    let user = entry.person
    guard habits[user] == .ordinary, generator.nextBool(probability: 0.008), !past[user].isEmpty else {
      return nil
    }
    let choice = generator.nextIndex(below: past[user].count)
    let earlier = past[user][choice]
    guard entry.at - earlier.at >= CivilTime.hour, isPresent(earlier.target, at: entry.at),
      let wasLike = isLike[pair(user, earlier.target)]
    else { return nil }
    past[user].swapAt(choice, past[user].count - 1)
    past[user].removeLast()
    isLike[pair(user, earlier.target)] = !wasLike
    return Swipe(
      at: entry.at, swiper: user, target: earlier.target, isLike: !wasLike, isChangeOfMind: true,
      isAnswer: false, fault: nil)
  }

  private mutating func record(_ swipe: Swipe) {
    isLike[pair(swipe.swiper, swipe.target)] = swipe.isLike
    past[swipe.swiper].append(Past(target: swipe.target, at: swipe.at))
    if !swipe.isAnswer { waiting[swipe.target].append(swipe.swiper) }
  }

  private mutating func drawLike(of target: Int, by user: Int) -> Bool {
    let probability = population.tastes[user].likeProbability(
      of: population.people[target], with: population.tastes[target], seenBy: population.people[user],
      isLikedBack: isLike[pair(target, user)] == true)
    let draw = generator.nextUnit() < probability
    return switch habits[user] {
    case .likesEverybody: true
    case .passesOnEverybody: false
    case .ordinary, .once, .never, .rejected: draw
    }
  }

  private mutating func targetForNewSwipe(_ entry: SwipeSchedule.PlannedSwipe) -> Int {
    let user = entry.person
    if generator.nextBool(probability: 0.41), let target = takeWaiting(for: user, at: entry.at) {
      return target
    }
    let city = population.people[user].city
    for _ in 0..<40 {
      let isAnywhere = generator.nextBool(probability: 0.04)
      let target =
        isAnywhere
        ? neighbourhoods.anyone(using: &generator)
        : neighbourhoods.anyone(near: city, using: &generator)
      if isNew(target, to: user, at: entry.at) { return target }
    }
    // A person on an island has soon seen all people nearby. The app then shows any new person, and the
    // search starts from a random index.
    let start = generator.nextIndex(below: population.people.count)
    for step in population.people.indices {
      let target = (start + step) % population.people.count
      if habits[target] != .rejected, isNew(target, to: user, at: entry.at) { return target }
    }
    preconditionFailure("\(population.people.count) people are too few for the planned swipes")
  }

  private mutating func takeWaiting(for user: Int, at instant: Int64) -> Int? {
    while !waiting[user].isEmpty {
      let choice = generator.nextIndex(below: waiting[user].count)
      waiting[user].swapAt(choice, waiting[user].count - 1)
      let target = waiting[user].removeLast()
      if isNew(target, to: user, at: instant) { return target }
    }
    return nil
  }

  private func isNew(_ target: Int, to user: Int, at instant: Int64) -> Bool {
    target != user && isPresent(target, at: instant) && isLike[pair(user, target)] == nil
  }

  private func isPresent(_ target: Int, at instant: Int64) -> Bool {
    population.people[target].createdAt <= instant && instant < population.people[target].leavesAt
  }
}
