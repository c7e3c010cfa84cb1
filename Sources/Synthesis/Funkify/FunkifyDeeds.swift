internal import Concurrency

/// An action of a musician, or the retraction of an earlier action.
struct FunkifyDeed: Sendable {
  var musician: Int
  /// The index of a musician, an event or a post.
  var target: Int
  var at: Int64
  var isTakenBack = false
}

/// A post of a musician.
struct FunkifyPost: Sendable {
  var author: Int
  var at: Int64
}

/// Generates the actions of musicians. The probability of a follow depends on the genres that two musicians
/// share. The probability of an attendance depends on the genres and on the weekday of the event.
struct FunkifyDeeds {
  let world: FunkifyWorld
  private var musicians: [Musician] { world.musicians }
  private let byCity: [[Int]]
  private let eventsByCity: [[Int]]

  init(_ world: FunkifyWorld) {
    self.world = world
    let cities = (world.musicians.map(\.city).max() ?? 0) + 1
    var byCity = [[Int]](repeating: [], count: cities)
    for (index, musician) in world.musicians.enumerated() { byCity[musician.city].append(index) }
    var eventsByCity = [[Int]](repeating: [], count: cities)
    for (index, event) in world.events.enumerated() {
      eventsByCity[world.musicians[event.organiser].city].append(index)
    }
    self.byCity = byCity
    self.eventsByCity = eventsByCity
  }

  /// Generates about `count` follows in time order, including retractions.
  func follows(_ count: Int) -> [FunkifyDeed] {
    var generator = SplitMix64(seed: world.seed, purpose: .funkifyFollows)
    var seen: Set<[Int]> = []
    var deeds: [FunkifyDeed] = []
    for _ in 0..<20 * count where deeds.count < count {
      let musician = generator.nextIndex(below: musicians.count)
      let other = generator.pick(byCity[musicians[musician].city])
      let affinity = FunkifyWorld.affinity(musicians[musician].genres, musicians[other].genres)
      guard other != musician, generator.nextUnit() < 0.1 + 0.9 * affinity,
        seen.insert([musician, other]).inserted
      else { continue }
      append(
        FunkifyDeed(musician: musician, target: other, at: 0), to: &deeds, from: world.rhythm.start,
        using: &generator)
    }
    return sorted(deeds)
  }

  /// Generates about `count` attendances in time order, including retractions. An attendance is later than
  /// the creation of its event.
  func attendances(_ count: Int) -> [FunkifyDeed] {
    var generator = SplitMix64(seed: world.seed, purpose: .funkifyAttendances)
    var seen: Set<[Int]> = []
    var deeds: [FunkifyDeed] = []
    for _ in 0..<20 * count where deeds.count < count {
      let musician = generator.nextIndex(below: musicians.count)
      let around = eventsByCity[musicians[musician].city]
      guard !around.isEmpty else { continue }
      let index = generator.pick(around)
      let event = world.events[index]
      let affinity = FunkifyWorld.affinity(musicians[musician].genres, event.genres)
      let isWeekend = CivilTime.weekday(event.starts) >= 4
      guard generator.nextUnit() < 0.05 + 0.6 * affinity + (isWeekend ? 0.25 : 0),
        event.createdAt < world.rhythm.end, seen.insert([musician, index]).inserted
      else { continue }
      append(
        FunkifyDeed(musician: musician, target: index, at: 0), to: &deeds, from: event.createdAt,
        using: &generator)
    }
    return sorted(deeds)
  }

  func posts(_ count: Int) -> [FunkifyPost] {
    var generator = SplitMix64(seed: world.seed, purpose: .funkifyPosts)
    return (0..<count).map { _ in
      FunkifyPost(
        author: generator.nextIndex(below: musicians.count),
        at: world.rhythm.next(in: world.rhythm.start..<world.rhythm.end, using: &generator))
    }.sorted { ($0.at, $0.author) < ($1.at, $1.author) }
  }

  /// Generates up to `count` reactions (likes or comments) to posts by other musicians of the same city. A
  /// musician reacts to a post at most once.
  func reactions(_ count: Int, to posts: [FunkifyPost], purpose: DrawPurpose) -> [FunkifyDeed] {
    var generator = SplitMix64(seed: world.seed, purpose: purpose)
    var seen: Set<[Int]> = []
    var deeds: [FunkifyDeed] = []
    for _ in 0..<20 * count where deeds.count < count && !posts.isEmpty {
      let post = generator.nextIndex(below: posts.count)
      let musician = generator.pick(byCity[musicians[posts[post].author].city])
      guard musician != posts[post].author, seen.insert([musician, post]).inserted else { continue }
      let at = generator.nextInstant(in: posts[post].at..<world.rhythm.end)
      deeds.append(FunkifyDeed(musician: musician, target: post, at: at))
    }
    return sorted(deeds)
  }

  /// Appends an action at a random time. One in ten actions is retracted later, and a few of the retracted
  /// actions are then repeated.
  private func append(
    _ deed: FunkifyDeed, to deeds: inout [FunkifyDeed], from start: Int64, using generator: inout SplitMix64
  ) {
    var deed = deed
    deed.at = world.rhythm.next(in: max(start, world.rhythm.start)..<world.rhythm.end, using: &generator)
    deeds.append(deed)
    guard generator.nextBool(probability: 0.1), deed.at + CivilTime.hour < world.rhythm.end else { return }
    deed.at = generator.nextInstant(in: deed.at + CivilTime.second..<world.rhythm.end)
    deed.isTakenBack = true
    deeds.append(deed)
    guard generator.nextBool(probability: 0.2), deed.at + CivilTime.hour < world.rhythm.end else { return }
    deed.at = generator.nextInstant(in: deed.at + CivilTime.second..<world.rhythm.end)
    deed.isTakenBack = false
    deeds.append(deed)
  }

  private func sorted(_ deeds: [FunkifyDeed]) -> [FunkifyDeed] {
    deeds.sorted { ($0.at, $0.musician, $0.target) < ($1.at, $1.musician, $1.target) }
  }
}
