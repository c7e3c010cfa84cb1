import Concurrency
import Foundation
import TestSupport

/// A simulated app. Each day, people join, swipe, move, hide their account and leave.
///
/// It exports people and swipes, and computes with plain loops which people a list may contain. The
/// same seed gives the same history.
struct SimulatedApp {
  struct Person {
    var id: String
    var latitude: Double
    var longitude: Double
    var field: String
    var years: String
    var changed: Date
    /// Whether the person has hidden the account. The account stays in the export.
    var isGone = false
  }

  struct Swipe: Hashable {
    var from: String
    var to: String
    var isLike: Bool
    var at: Date
  }

  private(set) var now: Date
  private(set) var people: [Person] = []
  private(set) var swipes: [Swipe] = []
  /// People whom `nightjar erase` has removed. The app deletes them some days later.
  private(set) var erased: Set<String> = []
  private var random: SplitMix64
  private var joined = 0

  init(seed: UInt64, from start: Date, people count: Int) {
    random = SplitMix64(seed: seed)
    now = start
    for _ in 0..<count { join() }
    for _ in 0..<5 { liveOneDay() }
  }

  /// Simulates one day with its swipes. All changes have times within the day, and `now` is the end
  /// of the day.
  mutating func liveOneDay() {
    let morning = now
    now += 86_400
    for _ in 0..<Int.random(in: 0...2, using: &random) { join() }
    for index in people.indices where Int.random(in: 0..<40, using: &random) == 0 {
      people[index].latitude += Double.random(in: -0.05...0.05, using: &random)
      people[index].changed = time(after: morning)
    }
    if Int.random(in: 0..<4, using: &random) == 0, let index = people.indices.randomElement(using: &random) {
      people[index].isGone.toggle()
      people[index].changed = time(after: morning)
    }
    // After an account is deleted, its swipes and the swipes on it stay.
    if people.count > 60, Bool.random(using: &random),
      let index = people.indices.randomElement(using: &random)
    {
      people.remove(at: index)
    }
    for person in people {
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        guard let other = people.randomElement(using: &random), other.id != person.id else { continue }
        let isLike = other.field == person.field || Int.random(in: 0..<3, using: &random) == 0
        swipes.append(Swipe(from: person.id, to: other.id, isLike: isLike, at: time(after: morning)))
      }
    }
    // The app exports only the last month of swipes, so lists do not run out of candidates.
    swipes.removeAll { $0.at < now - 30 * 86_400 }
    swipes.sort { $0.at < $1.at }
  }

  /// Returns a person who must be erased, and records the choice.
  mutating func erasedPerson() -> String? {
    let person = people.filter { !erased.contains($0.id) }.randomElement(using: &random)
    if let person { erased.insert(person.id) }
    return person?.id
  }

  private mutating func join() {
    joined += 1
    people.append(
      Person(
        id: "p\(1000 + joined)", latitude: Double.random(in: 52.4...52.6, using: &random),
        longitude: Double.random(in: 13.2...13.6, using: &random),
        field: ["Technology", "Finance", "Media"].randomElement(using: &random) ?? "Media",
        years: "\(Int.random(in: 0...40, using: &random))", changed: now - 3600))
  }

  private mutating func time(after morning: Date) -> Date {
    // Times are whole seconds, so all formats of a time are equal.
    morning + Double(Int.random(in: 0..<86_400, using: &random))
  }
}

/// The exports of the app.
extension SimulatedApp {
  var peopleCSV: String {
    "id,field,lat,lon,years,gone,changed\n"
      + people.map {
        "\($0.id),\($0.field),\($0.latitude),\($0.longitude),\($0.years),\($0.isGone),"
          + "\($0.changed.formatted(.iso8601))\n"
      }.joined()
  }

  var swipesCSV: String {
    "from,to,answer,at\n"
      + swipes.map {
        "\($0.from),\($0.to),\($0.isLike ? "right" : "left"),\(Int($0.at.timeIntervalSince1970 * 1000))\n"
      }.joined()
  }
}

/// The allowed contents of lists, computed with plain loops.
extension SimulatedApp {
  /// The ids of all people who ever joined.
  var everyID: [String] { (1...joined).map { "p\(1000 + $0)" } }

  /// For each person with lists, the people who may be in the list `partners`.
  var candidates: [String: Set<String>] {
    let listed = people.filter { !erased.contains($0.id) }
    let passed = Set(swipes.map { [$0.from, $0.to] })
    let lastSwipes = Dictionary(swipes.map { ([$0.to, $0.from], $0) }) { $1 }
    let vetoed = Set(lastSwipes.filter { !$0.value.isLike }.keys)
    return Dictionary(
      uniqueKeysWithValues: listed.map { user in
        let others = listed.filter { other in
          other.id != user.id && !other.isGone && !passed.contains([user.id, other.id])
            && !vetoed.contains([user.id, other.id])
        }
        return (user.id, Set(others.map(\.id)))
      })
  }
}
