import Columns
import Files
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Models

/// Tests which columns `choose: within_learning` keeps.
struct ChoiceTests {
  private static let model = "prior: population\nchoose: within_learning"

  private static func choice(_ fixture: StageFixture) throws -> JSONValue {
    try #require(try Manifest(of: fixture.run + "/models").counts["choice"])
  }

  @Test func `real preferences are kept, and noise is weak or dropped`() throws {
    let world = RatedItems(seed: 71, people: 300) { _ in 20 }
    let fixture = try world.fitted(Self.model)
    let choice = try Self.choice(fixture)
    let features = choice["features"]?.elements ?? []
    var strengths: [String: Double] = [:]
    for feature in features {
      strengths[feature["feature"]?.stringValue ?? ""] = feature["strength"]?.numberValue
    }
    #expect(features.count == 4)
    #expect((strengths["x"] ?? 0) > 0.4 && (strengths["y"] ?? 0) > 0.2)
    #expect((strengths["z"] ?? 1) < 0.1 && (strengths["kind"] ?? 1) < 0.1)
    // The spread between people is much larger than 0.1.
    #expect((choice["spread"]?.numberValue ?? 0) >= 0.3)
    #expect(choice["tried"]?.elements.count == SpreadChoice.factors.count)
    #expect(features.compactMap { $0["feature"]?.stringValue } == ["x", "y", "z", "kind"])
    for feature in features {
      let strength = try #require(feature["strength"]?.numberValue)
      #expect(feature["kept"] == .boolean(strength > 0) && (strength == 0 || strength >= 1e-3))
    }
    #expect(choice["people"] == 300 && choice["compared_users"] == 300)
    try Self.expectConsistent(choice)
    // The models contain only chosen columns.
    let models = try fixture.models()
    let names = models.prior?.columns.map { models.columns.string(Int($0.column)) } ?? []
    #expect(names.contains("x") && names.contains("y"))
    #expect(names.contains("z") == ((strengths["z"] ?? 0) > 0))
  }

  /// The chosen spread must be the smallest one whose loss is at most its standard error.
  private static func expectConsistent(_ choice: JSONValue) throws {
    let tried = choice["tried"]?.elements ?? []
    func values(_ name: String) -> [Double] { tried.compactMap { $0[name]?.numberValue } }
    let (spreads, concordances) = (values("spread"), values("concordance"))
    let (losses, errors) = (values("loss"), values("standard_error"))
    #expect(spreads == [0, 0.1, 0.3, 1])
    let best = try #require(concordances.max())
    try #require(concordances.count == 4 && losses.count == 4 && errors.count == 4)
    for place in 0..<4 {
      #expect(abs(losses[place] - (best - concordances[place])) < 1e-12)
      #expect((0.5...1).contains(concordances[place]) && losses[place] >= 0 && errors[place] >= 0)
    }
    let place = try #require(concordances.firstIndex(of: best))
    #expect(losses[place] == 0 && errors[place] == 0)
    let chosen = try #require((0..<4).first { losses[$0] <= errors[$0] })
    #expect(choice["spread"]?.numberValue == spreads[chosen])
  }

  @Test func `people without differences get the population's coefficients`() throws {
    // All users have the same taste and differ only in their mean rating.
    var world = RatedItems(seed: 72, people: 200) { _ in 15 }
    for person in world.ratings.indices {
      for row in world.ratings[person].indices {
        let item = world.items[world.ratings[person][row].item]
        let own = world.people[person]
        let score = zip(own.coefficients, item.numbers).reduce(own.base) { $0 + $1.0 * ($1.1 ?? 0) }
        let noise = world.ratings[person][row].value - score
        world.ratings[person][row].value =
          own.base + noise + 0.8 * (item.numbers[0] ?? 0) - 0.5 * (item.numbers[1] ?? 0)
      }
    }
    let fixture = try world.fitted(Self.model)
    #expect((try Self.choice(fixture)["spread"]?.numberValue ?? 1) < 1)
    let models = try fixture.models()
    let prior = try #require(models.prior)
    for person in world.people.indices {
      let terms = try #require(models[person]).terms
      for (term, coefficient) in zip(terms, prior.groups[0].coefficients) {
        #expect(abs(term.coefficient - coefficient) < 0.15)
      }
    }
  }

  /// The kind has no effect on the ratings, so most choices drop it.
  @Test func `coefficients do not depend on the place of a dropped feature`() throws {
    var compared = 0
    for seed in 75..<79 as Range<UInt64> {
      let world = RatedItems(seed: seed, people: 300) { _ in 20 }
      let orders = ["[number: x, number: y, category: kind]", "[category: kind, number: y, number: x]"]
      let fitted = try orders.map { features in
        let fixture = try StageFixture(
          yaml: RatedItems.yaml(Self.model, features: features), files: world.files)
        try fixture.runStages()
        let choice = try Self.choice(fixture)["features"]?.elements ?? []
        let dropped = choice.filter { $0["kept"] == .boolean(false) }.compactMap {
          $0["feature"]?.stringValue
        }
        let models = try fixture.models()
        let coefficients = (0..<models.count).map { person in
          Dictionary(
            uniqueKeysWithValues: (models[person]?.terms ?? []).map {
              (models.columns.string(Int($0.column)), $0.coefficient)
            })
        }
        return (dropped: dropped, coefficients: coefficients)
      }
      guard fitted.allSatisfy({ $0.dropped == ["kind"] }) else { continue }
      compared += 1
      for (one, other) in zip(fitted[0].coefficients, fitted[1].coefficients) {
        #expect(Set(one.keys) == ["x", "y"] && one.keys == other.keys)
        // The estimation stops at a tolerance, and the order of columns changes the rounding before it.
        for (name, value) in one { #expect(abs(value - (other[name] ?? .nan)) < 1e-3, "\(name)") }
      }
    }
    #expect(compared > 0)
  }

  @Test func `the choice is the same on any number of threads`() throws {
    let world = RatedItems(seed: 73, people: 300) { Int.random(in: 0...12, using: &$0) }
    let files = ["terms.coefficient.npy", "prior.coefficient.npy", "base.npy", "manifest.json"]
    let fixtures = try [1, 8].map { try world.fitted(Self.model, threads: $0) }
    for file in files {
      #expect(try fixtures[0].bytes("models/" + file) == fixtures[1].bytes("models/" + file))
    }
  }

  @Test func `rows after the as-of time have no effect`() throws {
    let world = RatedItems(seed: 74, people: 150) { _ in 16 }
    var past = world
    var other = world
    for person in world.ratings.indices {
      past.ratings[person] = Array(world.ratings[person].prefix(10))
      for row in 10..<16 { other.ratings[person][row].value = 1000 }
    }
    let models = try [past, world, other].map { world in
      let fixture = try StageFixture(yaml: RatedItems.yaml(Self.model), files: world.files)
      try fixture.runStages(asOf: Instant(milliseconds: 10))
      return try ["terms.coefficient.npy", "prior.coefficient.npy", "prior.standard_deviation.npy"].map {
        try fixture.bytes("models/" + $0)
      }
    }
    #expect(models[0] == models[1] && models[1] == models[2])
  }

  @Test(arguments: [
    "prior: population", "prior: population\nchoose: within_learning", "prior: everybody", "l2: auto",
    "l2: 2", "prior: { population: by role }\nchoose: within_learning",
  ])
  func `awkward ratings give finite models`(model: String) throws {
    var normal = RatedItems(seed: 75, people: 30) { _ in 6 }
    var worlds = [normal]
    // Five more worlds follow the normal one. They have, in this order: no numbers, equal numbers, numbers at
    // the ends of the range, equal ratings, and huge ratings.
    for item in normal.items.indices { normal.items[item] = ([nil, nil, nil], "") }
    worlds.append(normal)
    for item in normal.items.indices { normal.items[item] = ([3, 3, 3], "one") }
    worlds.append(normal)
    for item in normal.items.indices {
      normal.items[item] = ([1e100, item % 2 == 0 ? -1e100 : 0, 1e-300], "x")
    }
    worlds.append(normal)
    for person in normal.ratings.indices {
      for row in normal.ratings[person].indices { normal.ratings[person][row].value = 1 }
    }
    worlds.append(normal)
    var huge = worlds[0]
    for person in huge.ratings.indices {
      for row in huge.ratings[person].indices { huge.ratings[person][row].value *= 1e90 }
    }
    worlds.append(huge)
    // The last three worlds have the rows of one user, a single row, and no rows.
    var few = worlds[0]
    for person in few.ratings.indices.dropFirst() { few.ratings[person] = [] }
    worlds.append(few)
    few.ratings[0] = Array(few.ratings[0].prefix(1))
    worlds.append(few)
    few.ratings[0] = []
    worlds.append(few)
    var fitted: [Int] = []
    for world in worlds {
      let fixture = try world.fitted(model)
      fitted.append(0)
      let models = try fixture.models()
      for person in world.people.indices {
        guard let model = models[person] else { continue }
        fitted[fitted.count - 1] += 1
        #expect(model.base.isFinite && model.intercept.isFinite)
        #expect(model.terms.allSatisfy { $0.coefficient.isFinite && $0.standardError?.isFinite ?? true })
      }
      for line in try fixture.list("best") {
        #expect(line.recommendations.allSatisfy { $0.score?.isFinite ?? true })
      }
    }
    // With one regression per user, a user without rows has no model.
    let ofFew = model.hasPrefix("prior") ? [30, 30, 0] : [1, 1, 0]
    #expect(fitted == Array(repeating: 30, count: 6) + ofFew)
  }
}
