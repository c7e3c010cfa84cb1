import Columns
import Erasure
import Files
import Foundation
import PipelineFile
import RunSchemas
import StageFixture
import Testing
import TestSupport
import Text
import Tombstones

/// A run after an erasure equals a run of exports without the erased people, except for sums over
/// many people.
@Suite struct RunErasureTests {
  private static let yaml = RandomExport.yaml(
    features: "[{ category: field }, position, { number: experience }]",
    ranking: "    exclude: [self]\n    order_by: distance\n    top: 5")
  private static let asOf = Instant(milliseconds: 60)

  private static func without(_ victims: Set<Int>, _ world: RandomExport) -> RandomExport {
    var clean = world
    let left = world.people.indices.filter { !victims.contains($0) }
    clean.people = left.map { world.people[$0] }
    clean.swipes = world.swipes.compactMap { swipe in
      guard let user = left.firstIndex(of: swipe.user), let candidate = left.firstIndex(of: swipe.candidate)
      else { return nil }
      return RandomExport.Swipe(user: user, candidate: candidate, at: swipe.at, value: swipe.value)
    }
    return clean
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `an erased run equals a run of exports without the people`(seed: UInt64) throws {
    let world = RandomExport(seed: seed, people: 40, swipes: 500)
    let victims: Set = [3, 17]
    let names = Set(victims.map { world.people[$0].id })
    let run = try StageFixture(yaml: Self.yaml, files: world.files)
    let clean = try StageFixture(yaml: Self.yaml, files: Self.without(victims, world).files)
    try run.runStages(asOf: Self.asOf)
    try clean.runStages(asOf: Self.asOf)
    let (before, models) = (try run.list("near"), try run.models())
    let former = (0..<models.count).map { models[$0] }

    var ids = ErasedIDs()
    for name in names { ids.insert(Array(name.utf8), entity: "users") }
    let erasure = RunErasure(ids, tombstones: .none, tool: "test")
    let files = try Manifest(of: "\(run.run)/rankings").outputs.map(\.path)
    // In this pipeline, no entity has an owner.
    #expect(try erasure.belongings(in: run.run).isEmpty)
    let erased = try #require(try erasure.erase(run.run, isDryRun: false))
    #expect(erased.counts.entities == 2 && erased.counts.lists == 2 && erased.counts.models == 2)

    for stage in ["snapshot", "index"] {
      let found = try DirectoryContents(of: "\(run.run)/\(stage)")
      let expected = try DirectoryContents(of: "\(clean.run)/\(stage)")
      #expect(found.differences(from: expected) == ["manifest.json"], "\(stage)")
    }
    #expect(try Manifest(of: "\(run.run)/rankings").outputs.map(\.path).sorted() == files.sorted())
    // The remaining users keep their lists, without the erased people.
    let expected = before.filter { !names.contains($0.user) }.map { line in
      var line = line
      line.recommendations.removeAll { names.contains($0.candidate) }
      if line.recommendations.count < 5, line.shortfall == nil { line.shortfall = "none_left" }
      for index in line.recommendations.indices { line.recommendations[index].rank = index + 1 }
      return line
    }
    #expect(try run.list("near") == expected)
    // The CSV file contains the same lists.
    let rows = expected.flatMap { line in
      line.recommendations.map { [line.user, "\($0.rank)", $0.candidate] }
    }
    #expect(try run.rows("rankings/near.csv").map { Array($0.prefix(3)) } == rows)
    let matches = try run.rows("rankings/matches.csv")
    #expect(try matches == clean.rows("rankings/matches.csv"))
    let counts = try Manifest(of: "\(run.run)/rankings").counts
    #expect(counts["matches"] == ["matches": .integer(matches.count)])
    // The remaining users' models are unchanged.
    let left = try run.models()
    let kept = former.indices.filter { !victims.contains($0) }
    #expect(left.count == kept.count)
    for (row, old) in kept.enumerated() { #expect(left[row] == former[old]) }

    let stages = ["snapshot", "index", "models", "rankings"]
    #expect(try Manifest.parents(stages, in: run.run).count == stages.count)
    for stage in stages {
      for output in try Manifest(of: "\(run.run)/\(stage)").outputs {
        let bytes = Array(try run.bytes("\(stage)/\(output.path)"))
        #expect(output.sha256 == SHA256.digest(of: bytes) && output.bytes == bytes.count, "\(output.path)")
      }
    }
    let again = try erasure.erase(run.run, isDryRun: false)?.counts.total
    #expect(again == nil)
  }

  /// The edges of bins with equal numbers of candidates depend on all candidates, and the names of the
  /// columns contain the edges.
  @Test func `models keep the coefficients of bins whose edges move`() throws {
    let world = RandomExport(seed: 5, people: 40, swipes: 600)
    let yaml = Self.yaml.replacing(
      "{ number: experience }", with: "{ number: { from: experience, bins: 4 } }")
    let run = try StageFixture(yaml: yaml, files: world.files)
    try run.runStages(asOf: Self.asOf)
    let models = try run.models()
    let former = (0..<models.count).map { models[$0] }
    // The people with the least experience: without them, the edges are higher.
    let known = world.people.indices.filter { world.people[$0].experience != nil }
    let victims = Set(
      known.sorted { (world.people[$0].experience ?? 0, $0) < (world.people[$1].experience ?? 0, $1) }.prefix(
        6))
    var ids = ErasedIDs()
    for victim in victims { ids.insert(Array(world.people[victim].id.utf8), entity: "users") }
    _ = try RunErasure(ids, tombstones: .none, tool: "test").erase(run.run, isDryRun: false)
    let left = try run.models()
    try #require(left.columns.strings != models.columns.strings)
    try #require(left.columns.count == models.columns.count)
    let kept = former.indices.filter { !victims.contains($0) }
    for (row, old) in kept.enumerated() { #expect(left[row] == former[old]) }
  }

  @Test func `a second erasure adds to the numbers of the first`() throws {
    let run = try StageFixture(yaml: Self.yaml, files: RandomExport(seed: 1, people: 20, swipes: 200).files)
    try run.runStages(asOf: Self.asOf)
    func counts(_ source: String) throws -> [String: Int] {
      let counts = try Manifest(of: run.run + "/snapshot").counts["sources"]?[source]?.members ?? [:]
      return counts.compactMapValues(\.integerValue)
    }
    let (users, swipes) = (try counts("users"), try counts("swipes"))
    var removed = 0
    for name in RandomExport(seed: 1, people: 20, swipes: 200).people.prefix(2).map(\.id) {
      var ids = ErasedIDs()
      ids.insert(Array(name.utf8), entity: "users")
      let erasure = RunErasure(ids, tombstones: .none, tool: "test")
      removed += try #require(try erasure.erase(run.run, isDryRun: false)).counts.interactions
    }
    #expect(removed > 10 && removed < 200)
    #expect(try counts("users")["erased"] == 2 && counts("users")["kept"] == (users["kept"] ?? 0) - 2)
    #expect(try counts("swipes")["erased"] == removed)
    #expect(try counts("swipes")["kept"] == (swipes["kept"] ?? 0) - removed)
  }

  @Test func `leftovers of killed processes are removed even if the run does not contain the person`() throws
  {
    let run = try StageFixture(yaml: Self.yaml, files: RandomExport(seed: 1, people: 6, swipes: 20).files)
    try run.runStages(asOf: Self.asOf)
    let leftovers = [".models.partial", "run.json.7.partial", "run.json.7.stopped"].map { "\(run.run)/\($0)" }
    for leftover in leftovers { try Directories.create(leftover) }
    var ids = ErasedIDs()
    ids.insert(Array("nobody".utf8), entity: "users")
    let erasure = RunErasure(ids, tombstones: .none, tool: "test")
    for isDryRun in [true, false] {
      #expect(try erasure.erase(run.run, isDryRun: isDryRun) == nil)
      #expect(leftovers.map(Directories.exists) == [isDryRun, isDryRun, isDryRun])
    }
    #expect(Directories.exists(run.run + "/rankings/near.csv"))
  }
}
