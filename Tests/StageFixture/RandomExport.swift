import Concurrency

/// A small random world of people and swipes. Reference implementations use its values, and stages
/// read its exports.
package struct RandomExport {
  package struct Person {
    package var id: String
    package var field: String?
    package var experience: Double?
    package var latitude: Double?
    package var longitude: Double?
    package var isDeleted: Bool
  }

  package struct Swipe {
    package var user: Int
    package var candidate: Int
    package var at: Int
    package var value: Double

    package init(user: Int, candidate: Int, at: Int, value: Double) {
      self.user = user
      self.candidate = candidate
      self.at = at
      self.value = value
    }
  }

  /// The people, ordered by id.
  package var people: [Person] = []
  /// The swipes in the order of the file.
  package var swipes: [Swipe] = []

  /// Creates a random world from `seed`. People are within `spread` degrees of `center`. Many of
  /// them share a position, so ties are common.
  package init(
    seed: UInt64, people count: Int, swipes swipeCount: Int, spread: Double = 4,
    center: (latitude: Double, longitude: Double) = (50, 8)
  ) {
    var random = SplitMix64(seed: seed)
    func chance(_ share: Double, _ random: inout SplitMix64) -> Bool { random.nextUnit() < share }
    let fields = ["Art", "Böden", "Céramique, fine", "Data \"science\"", "Energy"]
    for index in 0..<count {
      let isPositioned = !chance(0.1, &random)
      func angle(_ middle: Double, _ random: inout SplitMix64) -> Double {
        middle + (Double(Int.random(in: 0...8, using: &random)) - 4) / 8 * spread
      }
      var longitude = angle(center.longitude, &random)
      if longitude > 180 { longitude -= 360 }
      if longitude < -180 { longitude += 360 }
      let latitude = min(90, max(-90, angle(center.latitude, &random)))
      people.append(
        Person(
          id: "p" + String(1000 + index),
          field: chance(0.1, &random) ? nil : fields.randomElement(using: &random),
          experience: chance(0.15, &random) ? nil : Double(Int.random(in: 0...30, using: &random)),
          latitude: isPositioned ? latitude : nil, longitude: isPositioned ? longitude : nil,
          isDeleted: chance(0.05, &random)))
    }
    for _ in 0..<swipeCount {
      let user = Int.random(in: 0..<count, using: &random)
      let candidate = Int.random(in: 0..<count, using: &random)
      guard user != candidate else { continue }
      // There are few different times, so the order of rows often decides.
      swipes.append(
        Swipe(
          user: user, candidate: candidate, at: Int.random(in: 1...50, using: &random),
          value: chance(0.45, &random) ? 1 : -1))
    }
  }

  package var files: [String: String] {
    var users = "id,field,experience,latitude,longitude,deleted\n"
    for person in people.reversed() {
      let field = person.field.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" } ?? ""
      let numbers = [person.experience, person.latitude, person.longitude].map { $0?.description ?? "" }
      users +=
        ([person.id, field] + numbers + [person.isDeleted ? "true" : ""]).joined(separator: ",") + "\n"
    }
    var rows = "who,whom,at,way\n"
    for swipe in swipes {
      let way = swipe.value > 0 ? "right" : "left"
      rows += "\(people[swipe.user].id),\(people[swipe.candidate].id),\(swipe.at),\(way)\n"
    }
    return ["users.csv": users, "swipes.csv": rows]
  }

  /// Returns a pipeline file for the exports. `features` is a YAML list. `ranking` contains members
  /// of the ranking `near`, indented by four spaces.
  package static func yaml(features: String, ranking: String, seed: Int = 7, precision: Int = 7) -> String {
    """
    pipeline: random
    as_of: newest
    plausible: [1, 9999]
    seed: \(seed)
    privacy: { snap_positions_to: \(precision) }
    entities:
      users:
        source: { path: users.csv, format: csv }
        id: id
        position: { latitude: latitude, longitude: longitude }
        attributes:
          field: { type: category }
          experience: { type: number }
          deleted: { type: flag }
    interactions:
      swipes:
        source: { path: swipes.csv, format: csv }
        user: who
        candidate: whom
        at: at
        value: { from: way, map: { right: 1, left: -1 } }
    model:
      learns_from: swipes
      features: \(features)
      compat: createml
    rankings:
      near:
        users: users
        candidates: users
    \(ranking)
      matches: { mutual: swipes }
    """
  }
}
