internal import Concurrency
internal import Glibc

/// The number of swipes of each person. Most people make a few swipes, a few people make very many, and some
/// make none.
///
/// The counts come from a log-normal distribution. A difference between machines in the last bit of `exp`
/// changes a count only if the scaled value crosses a whole number.
struct ActivityPlan: Sendable {
  /// The swiping habit of a person.
  enum Habit: Sendable {
    case ordinary, never, once, likesEverybody, passesOnEverybody
    /// The person's document is rejected. The person occurs only in swipes that are broken on purpose.
    case rejected
  }

  private(set) var habits: [Habit]
  /// The number of swipes of each person. The sum of all counts is the requested number.
  private(set) var counts: [Int]

  /// Creates a plan for `people` with counts that add up to `swipes`. For n people, `swipes` is from 2n to
  /// n² / 8. The upper limit ensures that the app has enough people to show to each person.
  init(people: [FusionPerson], swipes: Int, seed: UInt64, rhythm: DailyRhythm) {
    var generator = SplitMix64(seed: seed, purpose: .activity)
    habits = people.map { $0.fault == nil ? .ordinary : .rejected }
    let valid = generator.nextPermutation(of: people.count).filter { people[$0].fault == nil }
    func count(of thousand: Int) -> Int { max(1, people.count * thousand / 1000) }
    let special: [Habit] =
      Array(repeating: .never, count: count(of: 60)) + Array(repeating: .once, count: count(of: 20))
      + Array(repeating: .likesEverybody, count: count(of: 10))
      + Array(repeating: .passesOnEverybody, count: count(of: 10))
    for (person, habit) in zip(valid, special) { habits[person] = habit }

    let most = people.count / 4
    counts = habits.map { habit in
      switch habit {
      case .once: 1
      case .likesEverybody, .passesOnEverybody: generator.nextInteger(in: 4...min(30, most))
      case .ordinary, .never, .rejected: 0
      }
    }
    let ordinary = people.indices.filter { habits[$0] == .ordinary }
    let weights = ordinary.map { person in
      let activity = exp(1.15 * generator.nextGaussian())
      let presence = Double(rhythm.end - max(rhythm.start, people[person].createdAt))
      return activity * (0.3 + 0.7 * presence / Double(rhythm.end - rhythm.start))
    }
    let rest = swipes - counts.reduce(0, +)
    for (person, count) in zip(ordinary, Self.divide(rest, by: weights, most: most)) {
      counts[person] = count
    }
  }

  /// Returns whole numbers from 1 to `most` that add up to `total`, as proportional to `weights` as possible.
  static func divide(_ total: Int, by weights: [Double], most: Int) -> [Int] {
    precondition(
      weights.count <= total && total <= weights.count * most,
      "\(weights.count) people cannot share \(total) swipes")
    func shares(_ scale: Double) -> [Int] {
      weights.map { Int(min(Double(most), max(1, scale * $0))) }
    }
    var low = 0.0
    var high = 1.0
    while shares(high).reduce(0, +) < total { high *= 2 }
    // After 60 bisections, the interval is too narrow to change a share.
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if shares(middle).reduce(0, +) <= total { low = middle } else { high = middle }
    }
    var shares = shares(low)
    var missing = total - shares.reduce(0, +)
    while missing > 0 {
      for index in shares.indices where missing > 0 && shares[index] < most {
        shares[index] += 1
        missing -= 1
      }
    }
    return shares
  }
}
