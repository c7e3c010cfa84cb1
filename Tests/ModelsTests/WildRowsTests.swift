import Columns
import Features
import Files
import Foundation
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import TestSupport
import Text

@testable import Models

/// Implausible numbers or invented words of one account must not change the models of other
/// accounts.
struct WildRowsTests {
  private static func world(_ number: Double?, item: Int = 3) -> RatedItems {
    var world = RatedItems(seed: 5, people: 60, items: 80) { _ in 20 }
    world.items[item].numbers[0] = number
    return world
  }

  private static func models(_ world: RatedItems, _ model: String) throws -> [String: Data] {
    let fixture = try world.fitted(model)
    let directory = try DirectoryContents(of: fixture.run + "/models").files
    return directory.filter { $0.key != "manifest.json" }
  }

  /// The models are the same as if the item's number were missing. The item itself still gets a
  /// score.
  @Test(
    arguments: ["prior: population", "prior: everybody", "l2: 2", "compat: createml"], [1e100, -1e100, 1e9])
  func `a fit treats an implausible number as missing`(model: String, wild: Double) throws {
    let (found, expected) = (
      try Self.models(Self.world(wild), model), try Self.models(Self.world(nil), model)
    )
    #expect(found.count > 5 && found.keys == expected.keys)
    for (name, bytes) in expected { #expect(found[name] == bytes, "\(name)") }
  }

  @Test func `a plausible number changes the models`() throws {
    let ordinary = try Self.models(Self.world(2), "prior: population")
    let missing = try Self.models(Self.world(nil), "prior: population")
    #expect(ordinary != missing)
  }

  @Test func `the manifest contains the bounds and the number of values beyond them`() throws {
    let fixture = try Self.world(1e100).fitted("prior: population")
    let counts = try Manifest(of: fixture.run + "/models").counts
    #expect(counts["bounds"]?["x"]?["beyond"] == 1 && counts["bounds"]?["y"]?["beyond"] == 0)
    let high = try #require(counts["bounds"]?["x"]?["candidates"]?.elements.last?.numberValue)
    #expect((2.0...5).contains(high))
    // When a candidate is scored, a number beyond the bound is replaced by the bound.
    let snapshot = try fixture.snapshot()
    let model = try #require(fixture.pipeline.model)
    let space = try FeatureSpace(learned: model, in: fixture.run, fixture.pipeline, snapshot)
    var row = [Double](repeating: 0, count: space.columns.count)
    let column = try #require(space.columns.firstIndex(of: "x"))
    space.fill(&row, user: 0, candidate: 3, distance: .nan, learningFrom: nil)
    #expect(row[column] == high)
    space.fill(&row, user: 0, candidate: 3, distance: .nan, learningFrom: 0)
    #expect(row[column].isNaN)
  }

  @Test func `an implausible rating is replaced by the bound`() throws {
    var world = Self.world(1)
    world.ratings[7][0].value = 1e100
    let fixture = try world.fitted("prior: population")
    let counts = try Manifest(of: fixture.run + "/models").counts
    #expect(counts["response_bounds"]?["beyond"] == 1)
    let high = try #require(counts["response_bounds"]?["values"]?.elements.last?.numberValue)
    world.ratings[7][0].value = high
    let bounded = try Self.models(world, "prior: population")
    for (name, bytes) in try DirectoryContents(of: fixture.run + "/models").files
    where name != "manifest.json" {
      #expect(bounded[name] == bytes, "\(name)")
    }
  }

  // MARK: Words

  private static func words(_ count: Int) -> RatedItems {
    var world = RatedItems(seed: 96, people: 110, items: count) { _ in 0 }
    for item in world.items.indices { world.items[item].kind = item % 50 == 0 ? "other" : "k\(1000 + item)" }
    for person in world.people.indices {
      world.ratings[person] = (0..<10).map { ((person * 7 + $0 * $0) % count, Double(($0 + person) % 3)) }
    }
    return world
  }

  @Test func `the 250 most frequent words of learning rows have columns, and the others share one`() throws {
    let world = Self.words(1100)
    let fixture = try world.fitted("prior: population")
    let snapshot = try fixture.snapshot()
    let model = try #require(fixture.pipeline.model)
    var rows: [String: Int] = [:]
    for item in world.items { rows[item.kind] = 0 }
    for rating in world.ratings.joined() { rows[world.items[rating.item].kind, default: 0] += 1 }
    let kept = rows.filter { $0.key != "other" }.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .prefix(250).map(\.key).sorted()
    let space = try FeatureSpace(learned: model, in: fixture.run, fixture.pipeline, snapshot)
    #expect(space.columns == ["x", "y", "z"] + kept.map { "kind=\($0)" } + ["kind=other"])
    let columns = try StringColumn(fixture.run + "/models/columns").strings
    #expect(columns == space.columns)
    let counts = try Manifest(of: fixture.run + "/models").counts
    #expect(counts["words_sharing_a_column"]?["kind"]?.integerValue == rows.count - 250)
    // Each item has exactly one of the word columns.
    var row = [Double](repeating: 0, count: columns.count)
    for (item, expected) in world.items.enumerated() {
      space.fill(&row, user: 0, candidate: item, distance: .nan, learningFrom: nil)
      let word = kept.contains(expected.kind) ? expected.kind : "other"
      #expect(columns.indices.filter { $0 > 2 && row[$0] == 1 }.map { columns[$0] } == ["kind=\(word)"])
    }
  }

  @Test func `a file can set the number of words`() throws {
    let world = Self.words(30)
    let features = "[category: { from: kind, at_most_words: 4 }]"
    let fixture = try StageFixture(yaml: RatedItems.yaml("l2: 1", features: features), files: world.files)
    try fixture.runStages()
    let columns = try StringColumn(fixture.run + "/models/columns").strings
    #expect(columns.count == 5 && columns.last == "kind=other")
  }
}
