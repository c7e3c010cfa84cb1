import Columns
import Foundation
import RunSchemas
import StageFixture
import Testing

@testable import Models

/// Tests models with a population prior from the exports to the files of a run.
struct PopulationModelTests {
  @Test func `intervals in original units cover the true parameters`() throws {
    var (covered, all) = (0, 0)
    for seed in 11..<14 as Range<UInt64> {
      let world = RatedItems(seed: seed, people: 500) { Int.random(in: 5...40, using: &$0) }
      let fixture = try world.fitted("prior: population")
      let models = try fixture.models()
      let names = models.columns.strings
      for (person, truth) in world.people.enumerated() {
        let model = try #require(models[person])
        for (place, name) in ["x", "y", "z"].enumerated() {
          let term = try #require(model.terms.first { names[Int($0.column)] == name })
          let error = try #require(term.standardError)
          all += 1
          if abs(term.coefficient - truth.coefficients[place]) <= 1.959964 * error { covered += 1 }
        }
      }
      // With 500 people, the estimates must be close to the true parameters of the population.
      let prior = try #require(models.prior?.groups.first)
      for (place, name) in ["x", "y", "z"].enumerated() {
        let column = try #require(models.prior?.columns.firstIndex { names[Int($0.column)] == name })
        #expect(abs(prior.coefficients[column] - RatedItems.mean[place + 1]) < 0.1)
        #expect(abs(prior.deviations[column] - RatedItems.deviations[place + 1]) < 0.08)
      }
      #expect(abs(prior.noiseDeviation - RatedItems.noise) < 0.03)
    }
    #expect((0.93...0.97).contains(Double(covered) / Double(all)), "\(covered) of \(all)")
  }

  @Test func `a user without interactions has the population's model and a scored list`() throws {
    let world = RatedItems(seed: 8, people: 120) { Int.random(in: 0...3, using: &$0) * 5 }
    let fixture = try world.fitted("prior: population")
    let models = try fixture.models()
    let prior = try #require(models.prior)
    let without = world.ratings.indices.filter { world.ratings[$0].isEmpty }
    #expect(without.count > 10)
    for person in without {
      let model = try #require(models[person])
      #expect(model.observations == 0)
      #expect(model.terms.map(\.coefficient) == prior.groups[0].coefficients)
      #expect(model.terms.map(\.standardError) == prior.groups[0].deviations)
      #expect(model.base == prior.groups[0].base)
    }
    let list = try fixture.list("best")
    #expect(list.allSatisfy { $0.recommendations.count == 3 })
    #expect(list.allSatisfy { $0.recommendations.allSatisfy { $0.score != nil } })
    // Users without interactions have no terms of their own.
    let offsets = try Column<UInt64>(fixture.run + "/models/terms.offsets.npy")
    #expect(without.allSatisfy { offsets[$0] == offsets[$0 + 1] })
  }

  @Test func `a model is the minimizer under the stored prior`() throws {
    let world = RatedItems(seed: 21, people: 60, missing: 0.2) { Int.random(in: 1...25, using: &$0) }
    let fixture = try world.fitted("prior: population")
    let models = try fixture.models()
    let prior = try #require(models.prior)
    let group = prior.groups[0]
    let names = models.columns.strings
    // Coefficients are in units of the columns' standard deviations. The noise is in units of the
    // values.
    let mean = [group.base] + zip(group.coefficients, prior.columns).map { $0 * $1.scale }
    let variances = ([group.baseDeviation] + zip(group.deviations, prior.columns).map { $0 * $1.scale })
      .map { $0 * $0 }
    for (person, ratings) in world.ratings.enumerated() {
      var rows = PersonRows()
      for rating in ratings {
        let item = world.items[rating.item]
        rows.z.append(
          [1]
            + prior.columns.map { column in
              let name = names[Int(column.column)]
              let value: Double? =
                switch name {
                case "x": item.numbers[0]
                case "y": item.numbers[1]
                case "z": item.numbers[2]
                default: name == "kind=" + item.kind ? 1 : 0
                }
              return value.map { ($0 - column.mean) / column.scale } ?? 0
            })
        rows.y.append(rating.value)
      }
      let expected = rows.minimiser(
        mean: mean, variances: variances, noise: group.noiseDeviation * group.noiseDeviation)
      let model = try #require(models[person])
      #expect(abs(model.base - expected[0]) < 1e-10)
      for (place, column) in prior.columns.enumerated() {
        #expect(abs(model.terms[place].coefficient - expected[place + 1] / column.scale) < 1e-10)
      }
    }
  }

  @Test func `random ratings give models without information`() throws {
    let world = RatedItems(seed: 31, people: 400, isRandom: true) { _ in 25 }
    let models = try world.fitted("prior: population").models()
    let group = try #require(models.prior?.groups.first)
    for deviation in zip(group.deviations, models.prior?.columns ?? []).map({ $0 * $1.scale }) {
      #expect(deviation < 0.1)
    }
    for person in world.people.indices {
      let model = try #require(models[person])
      // The spread of the predictions must be far below the spread of the values, which is 1.
      let spread = zip(model.terms, models.prior?.columns ?? []).reduce(0) {
        let own = $1.0.coefficient * $1.1.scale
        return $0 + own * own
      }
      #expect(spread.squareRoot() < 0.2)
    }
  }

  @Test(arguments: ["prior: population", "prior: everybody", "l2: auto", "prior: { population: by role }"])
  func `models have the same bytes on any number of threads`(model: String) throws {
    let world = RatedItems(seed: 51, people: 700, roles: [("a", 0), ("b", 1), ("", 0)]) {
      Int.random(in: 0...9, using: &$0)
    }
    let fixtures = try [1, 2, 8].map { try world.fitted(model, threads: $0) }
    for file in ["terms.coefficient.npy", "base.npy", "prior.coefficient.npy", "manifest.json"] {
      let first = try fixtures[0].bytes("models/" + file)
      for fixture in fixtures.dropFirst() { #expect(try fixture.bytes("models/" + file) == first) }
    }
  }

  @Test func `groups have their own priors, but small or unknown groups have the population's`() throws {
    let roles = [("builder", 2.0), ("seller", -2), ("builder", 2), ("seller", -2), ("", 0)]
    var world = RatedItems(seed: 61, people: 500, roles: roles) { Int.random(in: 0...12, using: &$0) }
    for person in 0..<20 { world.people[person].role = "rare" }
    let models = try world.fitted("prior: { population: by role }").models()
    let prior = try #require(models.prior)
    #expect(prior.groups.map(\.name) == ["", "builder", "seller"])
    let x = try #require(prior.columns.firstIndex { models.columns.string(Int($0.column)) == "x" })
    #expect(abs(prior.groups[1].coefficients[x] - 2.8) < 0.2)
    #expect(abs(prior.groups[2].coefficients[x] + 1.2) < 0.2)
    for (person, truth) in world.people.enumerated() {
      let expected = ["builder": 1, "seller": 2][truth.role] ?? 0
      #expect(models.group(person) == expected)
      if world.ratings[person].isEmpty {
        #expect(models[person]?.terms.map(\.coefficient) == prior.groups[expected].coefficients)
      }
    }
  }
}
