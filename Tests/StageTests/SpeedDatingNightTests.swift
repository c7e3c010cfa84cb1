import Foundation
import Testing
import TestSupport

/// Runs a pipeline on the decisions of real people. The data have no positions and no radius, and the
/// time is the order of dates within an evening.
@Suite(.enabled(if: SharedData.exists("speed-dating/swipes_dev.csv"), "needs ../shared/data"))
struct SpeedDatingNightTests {
  private static let pipeline = """
    pipeline: speed-dating
    as_of: newest
    plausible: [1970, 2100]
    reject_limit: 1 %
    entities:
      people:
        source: { path: "\(SharedData.url("speed-dating/users_dev.csv").path)" }
        id: iid
        attributes:
          age: { type: number }
          sports: { type: number }
          gender: { type: category }
          field_cd: { type: category }
    interactions:
      decisions:
        source: { path: "\(SharedData.url("speed-dating/swipes_dev.csv").path)" }
        user: iid
        candidate: pid
        at: order
        value: { from: dec, map: { 1: 1, 0: -1 } }
    model:
      learns_from: decisions
      features: [number: age, number: sports, category: field_cd]
      compat: createml
    rankings:
      dates:
        users: people
        candidates: people
        exclude: [self, interacted, vetoed]
        order_by: score
        top: 5
      matches: { mutual: decisions }
    publish: { store: "sqlite:serving.sqlite" }

    """

  private func run(_ arguments: String...) throws -> ScratchDirectory {
    let directory = try ScratchDirectory()
    try directory.write(Self.pipeline, to: "speed-dating.yaml")
    let ended = try Program.run(
      "nightjar", ["run", directory("speed-dating.yaml"), "--work", directory("var")] + arguments)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return directory
  }

  /// The rows of `swipes_dev.csv` by column.
  private func decisions() throws -> [[String: String]] {
    let table = try rows(ofCSV: SharedData.url("speed-dating/swipes_dev.csv").path)
    let header = try #require(table.first)
    return table.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(header, $0)) }
  }

  @Test func `the matches equal the file's own match column`() throws {
    let directory = try run()
    let found = try rows(ofCSV: directory("var/speed-dating/latest/rankings/matches.csv")).dropFirst()
      .map { Set($0.prefix(2)) }
    let own = try decisions().filter { $0["match"] == "1" && $0["pid"] != "" }
      .map { Set([$0["iid"] ?? "", $0["pid"] ?? ""]) }
    #expect(Set(found) == Set(own))
    #expect(found.count == Set(found).count, "each pair once")
    #expect(found.count > 300)
  }

  @Test func `every decision is read, and decisions about unknown people are rejected`() throws {
    let directory = try run("--until", "ingest")
    let decisions = try decisions()
    let counts = try json(directory("var/speed-dating/runs/1/snapshot/manifest.json")).object("counts")
      .object("sources").object("decisions")
    let nobody = decisions.count { $0["pid"] == "" }
    #expect(nobody == 10)
    #expect(counts.integer("read") == decisions.count)
    #expect(counts.integer("kept") == decisions.count - nobody)
    #expect(counts.object("rejected").integers == ["missing_id": nobody])
  }

  @Test func `lists come from the store, without decided people and without distances`() throws {
    let directory = try run()
    let decisions = try decisions()
    let lines = try RankingsFiles(directory("var/speed-dating/latest/rankings"), list: "dates").lines
    let people = try rows(ofCSV: SharedData.url("speed-dating/users_dev.csv").path).dropFirst().map { $0[0] }
    #expect(lines.map(\.user) == people.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    var met: [String: Set<String>] = [:]
    for row in decisions { met[row["iid"] ?? "", default: []].insert(row["pid"] ?? "") }
    for line in lines {
      #expect(met[line.user, default: []].isDisjoint(with: line.recommendations.map(\.candidate)))
      #expect(line.recommendations.allSatisfy { $0.kilometers == nil && ($0.score ?? 1) > 0 })
    }
    #expect(lines.count { $0.recommendations.count == 5 } > 200)
    let line = try #require(lines.first { !$0.recommendations.isEmpty })
    let shown = try Program.run(
      "nightjar",
      ["show", directory("speed-dating.yaml"), "--work", directory("var"), "--user", line.user, "--json"])
    #expect(try RankingsFiles.Line(json: shown.output) == line)
  }
}
