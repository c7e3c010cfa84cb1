import Files
import Foundation
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Models

/// Compares ridge regressions, one per user or one for all users, with dense algebra.
struct RidgeModelTests {
  /// Returns a person's rows in the units of the models' columns.
  private static func rows(_ world: RatedItems, _ person: Int, _ columns: [PriorTable.SharedColumn])
    -> PersonRows
  {
    var rows = PersonRows()
    for rating in world.ratings[person] {
      let item = world.items[rating.item]
      // The feature space orders these columns as kind=blue, kind=green, kind=red.
      let values =
        item.numbers.map { $0 ?? .nan } + ["blue", "green", "red"].map { item.kind == $0 ? 1.0 : 0.0 }
      rows.z.append(
        [1]
          + columns.map {
            let value = (values[Int($0.column)] - $0.mean) / $0.scale
            return value.isNaN ? 0 : value
          })
      rows.y.append(rating.value)
    }
    return rows
  }

  private static func expect(
    _ model: UserModel, _ columns: [PriorTable.SharedColumn], equals solution: [Double]
  ) {
    #expect(abs(model.base - solution[0]) < 1e-9)
    for (place, column) in columns.enumerated() {
      #expect(abs(model.terms[place].coefficient * column.scale - solution[place + 1]) < 1e-9)
    }
  }

  private static func variances(_ penalty: Double, _ columns: Int) -> [Double] {
    [.infinity] + [Double](repeating: 1 / penalty, count: columns)
  }

  @Test(arguments: [0.5, 20])
  func `a regression per user has the penalty in the pipeline file`(penalty: Double) throws {
    let world = RatedItems(seed: 2, people: 40, missing: 0.1) { Int.random(in: 0...15, using: &$0) }
    let models = try world.fitted("l2: \(penalty)").models()
    let columns = try #require(models.prior?.columns)
    var constant = 0
    for person in world.people.indices {
      guard let first = world.ratings[person].first else {
        #expect(models[person] == nil)
        continue
      }
      if world.ratings[person].allSatisfy({ $0.value == first.value }) {
        constant += 1
        let model = try #require(models[person])
        #expect(model.base == first.value && model.terms.allSatisfy { $0.coefficient == 0 })
      }
      let rows = Self.rows(world, person, columns)
      let expected = rows.minimiser(
        mean: [Double](repeating: 0, count: columns.count + 1),
        variances: Self.variances(penalty, columns.count), noise: 1)
      Self.expect(try #require(models[person]), columns, equals: expected)
    }
    #expect(constant > 0, "no person gave the same rating each time")
  }

  /// All candidates must have exactly the same score. Otherwise rounding errors of 1e-16 would
  /// override the order by distance.
  @Test(arguments: ["l2: 1", "l2: auto"])
  func `ratings of only one candidate give a model without coefficients`(method: String) throws {
    var world = RatedItems(seed: 4, people: 30) { Int.random(in: 3...9, using: &$0) }
    for person in 0..<6 {
      let values: [Double] = [[1, -1], [1, -1, 1], [0.1, 0.7, 0.3, 0.2, 0.6, 0.1, 0.3]][person % 3]
      world.ratings[person] = values.map { (person, $0) }
    }
    let models = try world.fitted(method).models()
    for person in 0..<6 {
      let model = try #require(models[person])
      let values = world.ratings[person].map(\.value)
      #expect(abs(model.base - values.reduce(0, +) / Double(values.count)) < 1e-12)
      #expect(!model.terms.isEmpty && model.terms.allSatisfy { $0.coefficient == 0 })
    }
    #expect(models[10].map { $0.terms.contains { $0.coefficient != 0 } } ?? false)
  }

  @Test func `one regression for all users uses all rows together`() throws {
    let world = RatedItems(seed: 3, people: 50, missing: 0.1) { Int.random(in: 0...15, using: &$0) }
    let models = try world.fitted("prior: everybody\nl2: 40").models()
    let columns = try #require(models.prior?.columns)
    var all = PersonRows()
    for person in world.people.indices {
      let rows = Self.rows(world, person, columns)
      all.z += rows.z
      all.y += rows.y
    }
    let expected = all.minimiser(
      mean: [Double](repeating: 0, count: columns.count + 1),
      variances: Self.variances(40, columns.count), noise: 1)
    for person in world.people.indices {
      let model = try #require(models[person])
      Self.expect(model, columns, equals: expected)
      #expect(model.observations == world.ratings[person].count)
    }
  }

  @Test func `l2 auto leaves out each row and takes the best penalty`() throws {
    let world = RatedItems(seed: 4, people: 25) { Int.random(in: 1...14, using: &$0) }
    let fixture = try world.fitted("l2: auto")
    let models = try fixture.models()
    let columns = try #require(models.prior?.columns)
    // The slow reference implementation leaves out each row in turn. Its values are in original units. A
    // scale of the values changes all errors by the same factor, so the best penalty is the same.
    let errors = stride(from: -2.0, through: 4, by: 0.5).map { exponent in
      let penalty = Double.pow10(exponent)
      var error = 0.0
      for person in world.people.indices where world.ratings[person].count > 1 {
        let rows = Self.rows(world, person, columns)
        for left in rows.y.indices {
          var others = rows
          let z = others.z.remove(at: left)
          let y = others.y.remove(at: left)
          let solution = others.minimiser(
            mean: [Double](repeating: 0, count: columns.count + 1),
            variances: Self.variances(penalty, columns.count), noise: 1)
          let residual = zip(z, solution).reduce(y) { $0 - $1.0 * $1.1 }
          error += residual * residual
        }
      }
      return (penalty, error)
    }
    let best = try #require(errors.min { $0.1 < $1.1 })
    let counts = try Manifest(of: fixture.run + "/models").counts
    guard case .number(let found)? = counts["l2"] ?? nil else {
      #expect(counts["l2"] == .integer(Int(best.0)))
      return
    }
    #expect(abs(found / best.0 - 1) < 1e-12)
  }

  @Test func `l2 auto for all users shrinks noise and keeps effects`() throws {
    let world = RatedItems(seed: 6, people: 100) { _ in 12 }
    let random = RatedItems(seed: 6, people: 100, isRandom: true) { _ in 12 }
    let found = try [world, random].map { world in
      let models = try world.fitted("prior: everybody").models()
      let columns = try #require(models.prior?.columns)
      return zip(try #require(models[0]).terms, columns).reduce(0) {
        max($0, abs($1.0.coefficient * $1.1.scale))
      }
    }
    #expect(found[0] > 0.5 && found[1] < 0.05)
  }
}

extension Double {
  fileprivate static func pow10(_ exponent: Double) -> Double { pow(10, exponent) }
}
