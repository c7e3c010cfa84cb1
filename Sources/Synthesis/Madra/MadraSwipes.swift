internal import Concurrency
internal import Glibc

/// A decision of a minder about a dog, and the owner's answer. The decision depends on the minder's hidden
/// taste, and the answer on the minder's experience and age.
struct MadraSwipe: Sendable {
  enum Status: String, Sendable { case pending, accepted, refused, withdrawn }

  var minder: Int
  var dog: Int
  var at: Int64
  /// The status of the request; `nil` if the minder skipped the dog.
  var status: Status?
  var answeredAt: Int64?
}

struct MadraSwipes {
  let minders: [MadraPerson]
  let owners: [MadraPerson]
  let dogs: [Dog]
  let seed: UInt64
  let rhythm: DailyRhythm

  /// Generates at most `count` swipes in time order. A minder decides at most once about each dog. The newest
  /// swipe is at the end of the period.
  func all(_ count: Int) -> [MadraSwipe] {
    let nearby = minders.map { minder in
      dogs.indices.filter { index in
        let offset = minder.place.offset(to: dogs[index].place)
        return offset.north * offset.north + offset.east * offset.east < 40 * 40
      }
    }
    let active = WeightedChoice(
      minders.indices.map { index in
        var generator = SplitMix64(seed: seed, purpose: .madraActivity, index: index)
        return nearby[index].isEmpty || generator.nextBool(probability: 0.05) ? 0 : 0.1 + generator.nextUnit()
      })
    let tastes = minders.indices.map { Taste(seed: seed, minder: $0) }
    var generator = SplitMix64(seed: seed, purpose: .madraSwipes)
    var seen: Set<[Int]> = []
    var swipes: [MadraSwipe] = []
    // The attempts are limited, because no further swipe is possible after all minders have seen all dogs
    // near them.
    var attempts = 0
    while swipes.count < count, attempts < 50 * count, !active.isEmpty {
      attempts += 1
      let minder = active.next(using: &generator)
      let dog = generator.pick(nearby[minder])
      let from = max(dogs[dog].createdAt, minders[minder].createdAt, rhythm.start)
      guard from < rhythm.end, seen.insert([minder, dog]).inserted else { continue }
      let at = rhythm.next(in: from..<rhythm.end, using: &generator)
      swipes.append(swipe(minder, dog, at: at, tastes[minder], using: &generator))
    }
    swipes.sort { ($0.at, $0.minder, $0.dog) < ($1.at, $1.minder, $1.dog) }
    if !swipes.isEmpty {
      swipes[swipes.count - 1].at = rhythm.end
      if swipes[swipes.count - 1].status != nil {
        (swipes[swipes.count - 1].status, swipes[swipes.count - 1].answeredAt) = (.pending, nil)
      }
    }
    return swipes
  }

  private func swipe(
    _ minder: Int, _ dog: Int, at: Int64, _ taste: Taste, using generator: inout SplitMix64
  ) -> MadraSwipe {
    let distance = minders[minder].place.kilometers(to: dogs[dog].place)
    let age = Double(rhythm.end / CivilTime.day - dogs[dog].born) / 365.25
    let liking = taste.liking(of: dogs[dog], age: age, distance: distance)
    var swipe = MadraSwipe(minder: minder, dog: dog, at: at)
    guard generator.nextBool(probability: 1 / (1 + exp(-liking))) else { return swipe }
    swipe.status = .pending
    let answered = at + Int64(Double(CivilTime.hour) * (1 + 90 * generator.nextUnit() * generator.nextUnit()))
    let isAnswered = generator.nextBool(probability: 0.78)
    guard isAnswered, answered < rhythm.end else { return swipe }
    swipe.answeredAt = answered
    if generator.nextBool(probability: 0.08) {
      swipe.status = .withdrawn
      return swipe
    }
    // An acceptance is more likely for experienced minders, and slightly more likely for middle-aged minders.
    let person = minders[minder]
    let years = person.born.map { Double(rhythm.end / CivilTime.day - $0) / 365.25 } ?? 25
    let trust = 0.2 * Double(person.experience) - 0.04 * abs(years - 42) + 0.3
    swipe.status = generator.nextBool(probability: 1 / (1 + exp(-trust))) ? .accepted : .refused
    return swipe
  }

  /// The taste of one minder. The values are contributions to the log-odds.
  private struct Taste {
    var breeds: [Double]
    var sizes: [Dog.Size: Double]
    var age: Double
    var generosity: Double

    init(seed: UInt64, minder: Int) {
      var generator = SplitMix64(seed: seed, purpose: .madraTaste, index: minder)
      // Some breeds are popular with all minders, and each minder has preferences.
      breeds = Dog.breeds.indices.map { 0.5 * Double($0 % 3 - 1) + 0.9 * generator.nextGaussian() }
      var sizes: [Dog.Size: Double] = [:]
      for size in Dog.Size.allCases { sizes[size] = 0.8 * generator.nextGaussian() }
      self.sizes = sizes
      age = 0.12 * generator.nextGaussian() - 0.05
      generosity = 0.5 * generator.nextGaussian()
    }

    func liking(of dog: Dog, age: Double, distance: Double) -> Double {
      breeds[dog.breed] + (sizes[dog.size] ?? 0) + self.age * (age - 5) + generosity
        - 0.6 * log(1 + distance / 6) + 0.5
    }
  }
}
