import Columns
import Features
import Files
import PipelineFile
import RunSchemas
import StageFixture
import System
import Testing
import Text

@testable import Models

/// Models that have too many columns for a fit in reasonable time.
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

  @Test func `too many columns are rejected with advice`() {
    let text = TooManyColumns(count: 1103, feature: "x", featureCount: 1100).description
    for part in [1103.grouped, 1100.grouped, 1000.grouped, "'x'", "bins", "dimensions"] {
      #expect(text.contains(part), "\(part)")
    }
  }

  @Test func `a fit lets words share a column until there are few enough columns`() throws {
    let fixture = try Self.world.fitted("l2: 2", mostWords: 2000)
    let counts = try Manifest(of: fixture.run + "/models").counts
    #expect(counts["words_sharing_a_column"] == ["kind": 104])
    #expect(try StringColumn(fixture.run + "/models/columns").count == 1000)
    #expect(FitSummary.text(counts).kind.hasSuffix("words in a shared column: 104 of kind"))
  }

  /// A category with few words keeps a column for each word. The other categories and the cells
  /// keep equally many columns.
  @Test func `features with few words keep a column for each word`() throws {
    var world = Self.world
    for item in world.items.indices {
      world.items[item].numbers = [Double(item % 80), Double(item / 10), nil]
    }
    let yaml = RatedItems.yaml(
      "compat: createml",
      features: "[category: kind, category: kind2, category: role, { geohash: { precision: 4 } }]"
    ).replacing(
      "      x: { type: number }\n",
      with:
        "      kind2: { type: category, from: kind }\n      role: { type: category, from: z }\n      x: { type: number }\n"
    ).replacing(
      "    source: { path: items.csv }\n",
      with: "    source: { path: items.csv }\n    position: { latitude: x, longitude: y }\n")
    let yamlWithoutZ = yaml.replacing("      z: { type: number }\n", with: "")
    var files = world.files
    files["items.csv"] = files["items.csv"]?.split(separator: "\n").enumerated().map { number, line in
      var cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      if number > 0 { cells[3] = ["red", "green", "blue"][number % 3] }
      return cells.joined(separator: ",") + "\n"
    }.joined()
    let fixture = try StageFixture(yaml: yamlWithoutZ, files: files)
    try fixture.runStages()
    let model = try #require(fixture.pipeline.model)
    let snapshot = try fixture.snapshot()
    let whole = FeatureSpace(model, fixture.pipeline, snapshot)
    let cells = whole.columns.count { $0.hasPrefix("geohash=") }
    // `at_most_words` always applies.
    #expect(cells > 250 && whole.columns.count == 2 * 251 + 3 + cells)
    for most in [600, 507 + cells, 20] {
      let space = FeatureSpace(model, fixture.pipeline, snapshot, mostColumns: most)
      let counts = space.features.map(\.width)
      #expect(
        space.columns.count <= most && space.columns.count > most - 4 && counts[2] == 3, "\(most): \(counts)")
      #expect(Set(space.columns).count == space.columns.count)
    }
    // A model with few columns is not changed. If the columns cannot fit, a later check rejects the
    // model.
    for most in [505 + cells, 5] {
      #expect(FeatureSpace(model, fixture.pipeline, snapshot, mostColumns: most).columns == whole.columns)
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
    let error = #expect(throws: TooManyColumns.self) {
      try scales.keeping { $0 < 1001 }.requireFew(in: space)
    }
    // The first three columns are numbers.
    #expect(error == TooManyColumns(count: 1001, feature: "kind", featureCount: 998))
    #expect(error?.exitStatus == .badPipelineFile)
  }

  @Test(arguments: [(300, 1), (5_000_000, 8), (100_000, 4 << 20), (40_000_000, 24 * 100), (1, 1 << 40)])
  func `chunk results waiting to be added take little memory`(users: Int, bytes: Int) {
    let size = LearningRows.chunkSize(users: users, bytes: bytes)
    let chunks = (users + size - 1) / size
    #expect(size >= LearningRows.chunkSize)
    #expect(chunks <= 16 || chunks * bytes <= 64 << 20)
  }
}
