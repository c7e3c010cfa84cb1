import Concurrency
import StageFixture

@testable import Models

/// People who rate items. The ratings are drawn from the model itself and written as exports.
struct RatedItems {
  /// Each item has three numbers and a kind. Some numbers are missing, and there are three kinds.
  var items: [(numbers: [Double?], kind: String)] = []
  /// Each person has a base, coefficients for the numbers, and a role.
  var people: [(base: Double, coefficients: [Double], role: String)] = []
  /// The items and ratings of each person, in the order of time.
  var ratings: [[(item: Int, value: Double)]] = []

  static let mean = [0.4, 0.8, -0.5, 0.0]
  static let deviations = [0.5, 0.3, 0.2, 0.4]
  static let noise = 0.9

  /// `roles` contains, for each role, the amount that it adds to the mean of the first coefficient.
  init(
    seed: UInt64, people count: Int, items itemCount: Int = 200, isRandom: Bool = false,
    missing: Double = 0, roles: [(name: String, shift: Double)] = [("any", 0)],
    rows: (inout SplitMix64) -> Int
  ) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<itemCount {
      let numbers = (0..<3).map { _ in
        random.nextUnit() < missing ? nil : random.nextGaussian()
      }
      items.append((numbers, ["red", "green", "blue"][Int.random(in: 0..<3, using: &random)]))
    }
    for person in 0..<count {
      let role = roles[person % roles.count]
      var own = (0..<4).map { Self.mean[$0] + Self.deviations[$0] * random.nextGaussian() }
      own[1] += role.shift
      people.append((own[0], Array(own.dropFirst()), role.name))
      let rows = min(itemCount, rows(&random))
      let chosen = Array(0..<itemCount).shuffled(using: &random).prefix(rows)
      ratings.append(
        chosen.map { item in
          let score = zip(own.dropFirst(), items[item].numbers).reduce(own[0]) { $0 + $1.0 * ($1.1 ?? 0) }
          let noise = random.nextGaussian()
          return (item, isRandom ? noise : score + Self.noise * noise)
        })
    }
  }

  static func personID(_ person: Int) -> String { "p" + String(10_000 + person) }
  static func itemID(_ item: Int) -> String { "i" + String(10_000 + item) }

  var files: [String: String] {
    var people = "id,role\n"
    for (number, person) in self.people.enumerated() {
      people += "\(Self.personID(number)),\(person.role)\n"
    }
    var items = "id,x,y,z,kind\n"
    for (number, item) in self.items.enumerated() {
      items +=
        "\(Self.itemID(number))," + item.numbers.map { $0?.description ?? "" }.joined(separator: ",")
        + ",\(item.kind)\n"
    }
    var ratings = "who,what,at,stars\n"
    for (person, rows) in self.ratings.enumerated() {
      for (time, row) in rows.enumerated() {
        ratings += "\(Self.personID(person)),\(Self.itemID(row.item)),\(time + 1),\(row.value)\n"
      }
    }
    return ["people.csv": people, "items.csv": items, "ratings.csv": ratings]
  }

  /// Returns a pipeline file for these items. `model` contains additional lines of the model
  /// section.
  static func yaml(
    _ model: String, features: String = "[number: x, number: y, number: z, category: kind]", seed: Int = 7
  ) -> String {
    """
    pipeline: ratings
    as_of: newest
    plausible: [1, 9999]
    seed: \(seed)
    entities:
      people:
        source: { path: people.csv }
        id: id
        attributes: { role: { type: category } }
      items:
        source: { path: items.csv }
        id: id
        attributes:
          x: { type: number }
          y: { type: number }
          z: { type: number }
          kind: { type: category }
    interactions:
      ratings:
        source: { path: ratings.csv }
        user: { from: who, entity: people }
        candidate: { from: what, entity: items }
        at: at
        value: stars
    model:
      learns_from: ratings
      features: \(features)
    \(model.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
    rankings:
      best: { users: people, candidates: items, top: 3 }
    """
  }

  func fitted(
    _ model: String, mostWords: Int? = nil, threads: Int = 2, seed: Int = 7
  ) throws -> StageFixture {
    let kind = mostWords.map { "{ from: kind, at_most_words: \($0) }" } ?? "kind"
    let yaml = Self.yaml(
      model, features: "[number: x, number: y, number: z, category: \(kind)]", seed: seed)
    let fixture = try StageFixture(yaml: yaml, files: files)
    try fixture.runStages(threads: threads)
    return fixture
  }
}
