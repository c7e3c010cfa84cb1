import Features
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import Text

@testable import Models

/// Models with too many columns to be fitted in reasonable time.
struct TooManyColumnsTests {
  /// Every item has a unique kind and one rating.
  private static var world: RatedItems {
    var world = RatedItems(seed: 96, people: 110, items: 1100) { _ in 0 }
    for item in world.items.indices { world.items[item].kind = "k\(item)" }
    for person in world.people.indices {
      world.ratings[person] = (0..<10).map { (person * 10 + $0, Double(($0 + person) % 3)) }
    }
    return world
  }

  @Test(arguments: [
    "prior: population", "prior: population\nchoose: within_learning", "prior: everybody", "l2: 2",
  ])
  func `too many columns are rejected with advice`(model: String) throws {
    let error = #expect(throws: TooManyColumns.self) { try Self.world.fitted(model, mostWords: 2000) }
    #expect(error == TooManyColumns(count: 1103, feature: "kind", featureCount: 1100))
    let text = error?.description ?? ""
    for part in [1103.grouped, 1100.grouped, 1000.grouped, "'kind'", "geohash", "bins", "at_most_words"] {
      #expect(text.contains(part), "\(part)")
    }
  }

  @Test func `a thousand columns are allowed, and any number for the first app's model`() throws {
    let fixture = try Self.world.fitted("compat: createml", mostWords: 2000)
    let snapshot = try fixture.snapshot()
    let table = try #require(snapshot.interactions["ratings"])
    let space = FeatureSpace(try #require(fixture.pipeline.model), fixture.pipeline, snapshot)
    let scales = ColumnScales(LearningRows(table: table, space: space), threads: 2)
    #expect(scales.columns.count == 1103)
    #expect(throws: Never.self) { try scales.keeping { $0 < 1000 }.requireFew(in: space) }
    #expect(throws: TooManyColumns.self) { try scales.keeping { $0 < 1001 }.requireFew(in: space) }
  }

  @Test(arguments: [(300, 1), (5_000_000, 8), (100_000, 4 << 20), (40_000_000, 24 * 100), (1, 1 << 40)])
  func `chunk results waiting to be added take little memory`(users: Int, bytes: Int) {
    let size = LearningRows.chunkSize(users: users, bytes: bytes)
    let chunks = (users + size - 1) / size
    #expect(size >= LearningRows.chunkSize)
    #expect(chunks <= 16 || chunks * bytes <= 64 << 20)
  }
}
