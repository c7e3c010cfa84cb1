import Foundation
import Testing
import TestSupport

/// Lists per tag and requested lists on small exports. Also tests the output of Funkify's commands
/// for a run with many retracted rows.
@Suite struct AskedListsTests {
  private let scratch: ScratchDirectory

  init() throws {
    scratch = try ScratchDirectory()
    try scratch.write(
      """
      pipeline: tiny
      as_of: "2026-02-05T00:00:00Z"
      dangling_limit: 100 %
      seed: 5
      reject_limit: 100 %
      privacy: { snap_positions_to: { from: finest, at_most: 7 } }
      entities:
        people:
          source: { path: people.csv }
          id: id
          position: { latitude: lat, longitude: lon }
          attributes: { plays: { type: tags }, wants: { type: tags }, finest: { type: number } }
        gigs:
          source: { path: gigs.csv }
          id: id
          owner: { from: by, entity: people }
          attributes: { style: { type: category } }
      interactions:
        follows:
          source: { path: follows.csv }
          user: { from: by, entity: people }
          candidate: { from: whom, entity: people }
          at: at
          value: { from: what, map: { "yes": 1, "no": taken_back }, latest: true }
        visits:
          source: { path: visits.csv }
          user: { from: by, entity: people }
          candidate: { from: gig, entity: gigs }
          at: at
          value: { from: what, map: { "yes": 1, "no": taken_back }, latest: true }
      computed: { people: { fans: { count_of: follows } } }
      model:
        learns_from: visits
        features: [category: style, follows: follows]
        prior: everybody
        negatives: { per_positive: 2, value: 0 }
      rankings:
        every: { users: people, candidates: people, within_km: 20, per: plays, exclude: [self], order_by: distance }
        asked: { users: people, candidates: people, within_km: 20, per: plays, asked: wants, exclude: [self], order_by: distance, top: 2 }
        gigs: { users: people, candidates: gigs, exclude: [interacted], order_by: score }
        fans: { users: people, candidates: people, exclude: [self], order_by: [fans desc], show: [fans] }
      evaluation: { cut: 0.7, at: [3], samples: 100 }
      publish: { store: "sqlite:serving.sqlite", attributes: { people: [plays, fans] }, positions: [people] }

      """, to: "tiny.yaml")
    try scratch.write(
      """
      id,lat,lon,plays,wants,finest
      ann-0,52.00,5.00,jazz;folk,folk;jazz,7
      bob-1,52.01,5.00,jazz,tango,7
      cid-2,52.02,5.00,folk;jazz;rock,,12
      dee-3,52.03,5.00,,jazz;rock,6.5
      eve-4,52.04,5.00,folk,jazz,7
      far-5,60.00,5.00,jazz,folk,7
      gus-6,,,jazz,jazz;folk,7

      """, to: "people.csv")
    try scratch.write(
      """
      id,by,style
      g1,ann-0,loud
      g2,bob-1,loud
      g3,cid-2,soft
      g4,ann-0,soft
      g5,eve-4,loud

      """, to: "gigs.csv")
    try scratch.write(
      """
      by,whom,what,at
      bob-1,ann-0,yes,2026-01-01T00:00:00Z
      cid-2,ann-0,yes,2026-01-01T00:00:00Z
      cid-2,bob-1,yes,2026-01-01T00:00:00Z
      cid-2,bob-1,no,2026-02-02T00:00:00Z
      dee-3,eve-4,yes,2026-01-03T00:00:00Z
      eve-4,cid-2,yes,2026-01-03T00:00:00Z

      """, to: "follows.csv")
    try scratch.write(
      """
      by,gig,what,at
      bob-1,g1,yes,2026-01-05T00:00:00Z
      cid-2,g1,yes,2026-01-06T00:00:00Z
      cid-2,g1,no,2026-02-03T00:00:00Z
      dee-3,g5,yes,2026-01-07T00:00:00Z
      eve-4,g3,yes,2026-01-08T00:00:00Z
      ann-0,g2,yes,2026-01-09T00:00:00Z
      ann-0,g2,no,2026-01-10T00:00:00Z
      bob-1,g4,yes,2026-02-04T00:00:00Z
      gus-6,g1,yes,2026-02-05T00:00:00Z

      """, to: "visits.csv")
  }

  private func nightjar(_ arguments: String...) throws -> Program.Finished {
    try Program.run(
      "nightjar", [arguments[0], scratch("tiny.yaml"), "--work", scratch("var")] + arguments.dropFirst())
  }

  private func run(_ arguments: String...) throws {
    let ended = try Program.run(
      "nightjar", ["run", scratch("tiny.yaml"), "--work", scratch("var")] + arguments)
    try #require(ended.ending == .status(0), "\(ended.errors)")
  }

  private struct Line: Decodable {
    struct List: Decodable {
      var recommendations: [RankingsFiles.Line.Recommendation]
      var shortfall: String?
    }
    var user: String
    var lists: [String: List]
  }

  private func lines(_ name: String) throws -> [Line] {
    let text = try String(
      contentsOfFile: scratch("var/tiny/latest/rankings/\(name)/part-00000.jsonl"), encoding: .utf8)
    return try text.split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
  }

  @Test func `a candidate is on the list of each of its tags`() throws {
    try run()
    let lines = try lines("every")
    #expect(lines.map(\.user) == ["ann-0", "bob-1", "cid-2", "dee-3", "eve-4", "far-5", "gus-6"])
    let found = lines[1].lists.mapValues { $0.recommendations.map(\.candidate).sorted() }
    #expect(found == ["folk": ["ann-0", "cid-2", "eve-4"], "jazz": ["ann-0", "cid-2"], "rock": ["cid-2"]])
    #expect(
      lines[5].lists.values.allSatisfy { $0.recommendations.isEmpty && $0.shortfall == "none_in_radius" })
    #expect(lines[6].lists.count == 3 && lines[6].lists.values.allSatisfy { $0.shortfall == "no_position" })
    let funnel = try json(scratch("var/tiny/latest/rankings/funnel.json")).object("every").object(
      "candidates")
    // A candidate with several tags counts as one pair per tag. The counts include all pairs.
    let excluded = funnel.object("excluded").integers.values.reduce(0, +)
    let sum =
      excluded
      + ["out_of_reach", "not_above_minimum", "beyond_top", "listed"].reduce(0) {
        $0 + (funnel.integer($1) ?? .min)
      }
    #expect(funnel.integer("pairs") == sum && (funnel.integer("out_of_reach") ?? -1) >= 0, "\(funnel)")
    #expect(
      try json(scratch("var/tiny/latest/rankings/manifest.json")).object("counts").object("search")["every"]
        as? String == "scan")
  }

  @Test func `only requested tags have lists`() throws {
    try run()
    let lines = try lines("asked")
    // A user who requests no tag has no lists.
    #expect(lines.map(\.user) == ["ann-0", "bob-1", "dee-3", "eve-4", "far-5", "gus-6"])
    func found(_ line: Int) -> [String: [String]] {
      lines[line].lists.mapValues { $0.recommendations.map(\.candidate) }
    }
    #expect(found(0) == ["folk": ["cid-2", "eve-4"], "jazz": ["bob-1", "cid-2"]])
    // No candidate plays tango, so the list is empty and has a shortfall.
    #expect(found(1) == ["tango": []] && lines[1].lists["tango"]?.shortfall == "none_in_radius")
    #expect(found(2) == ["jazz": ["cid-2", "bob-1"], "rock": ["cid-2"]])
    #expect(lines[2].lists["jazz"]?.shortfall == nil && lines[2].lists["rock"]?.shortfall == "none_in_radius")
    #expect(found(4) == ["folk": []] && lines[5].lists.values.allSatisfy { $0.shortfall == "no_position" })
    let csv = try rows(ofCSV: scratch("var/tiny/latest/rankings/asked.csv"))
    #expect(csv[0] == ["user_id", "word", "rank", "candidate_id", "score", "distance_km"])
    #expect(
      csv.dropFirst().map { "\($0[0]) \($0[1]) \($0[3])" }.prefix(4) == [
        "ann-0 folk cid-2", "ann-0 folk eve-4", "ann-0 jazz bob-1", "ann-0 jazz cid-2",
      ])
    let funnel = try json(scratch("var/tiny/latest/rankings/funnel.json")).object("asked")
    #expect(funnel.object("users").integer("total") == 6)
    #expect((funnel.object("candidates").object("excluded").integer("none of wants") ?? 0) > 0)
    let shown = try nightjar("show", "--user", "ann-0", "--list", "asked", "--word", "folk")
    #expect(shown.ending == .status(0) && shown.output.contains("cid-2") && !shown.output.contains("bob-1"))
    #expect(try nightjar("verify").ending == .status(0))
  }

  @Test func `there are no lists without tags or requests`() throws {
    try scratch.write(
      "id,lat,lon,plays,wants,finest\nann-0,52.00,5.00,,,7\nbob-1,52.01,5.00,,,\n", to: "people.csv")
    try run()
    #expect(try lines("asked").isEmpty)
    #expect(try lines("every").allSatisfy { $0.lists.isEmpty })
    #expect(try nightjar("verify").ending == .status(0))
  }

  @Test func `positions have the precision of each entity's number`() throws {
    try run()
    let near = try Program.run(
      "nightjar",
      ["near", "52.0", "5.0", scratch("tiny.yaml"), "--work", scratch("var"), "--radius-km", "30", "--json"])
    try #require(near.ending == .status(0), "\(near.errors)")
    let column = { (name: String) in
      try Data(contentsOf: URL(filePath: scratch("var/tiny/latest/snapshot/entities/people/\(name).npy")))
        .suffix(7 * 8)
        .withUnsafeBytes { bytes in
          (0..<7).map { bytes.loadUnaligned(fromByteOffset: $0 * 8, as: Double.self) }
        }
    }
    let (latitudes, longitudes) = (try column("latitude"), try column("longitude"))
    // cid requests a precision above the maximum. dee requests a precision between 6 and 7.
    for (row, latitude, precision) in [(0, 52.0, 7), (2, 52.02, 7), (3, 52.03, 6), (4, 52.04, 7)] {
      let cell = PlainGeodesy.cell(latitude: latitude, longitude: 5, precision: precision)
      #expect(
        abs(latitudes[row] - cell.latitude) < 1e-9 && abs(longitudes[row] - cell.longitude) < 1e-9, "\(row)")
    }
  }

  /// Returns the files that contain `word`. The erased people's ids occur in no other text, so every
  /// file found is a trace of them.
  private func files(with word: String) throws -> [String] {
    try CanarySearch.files(in: scratch("var"), word: word)
  }

  @Test(arguments: ["cid-2", "ann-0"])
  func `erasing organizers and people with retracted rows leaves no trace`(user: String) throws {
    try run()
    let evaluated = try Program.run(
      "nightjar-evaluate", [scratch("tiny.yaml"), "--work", scratch("var"), "--quiet"])
    #expect(evaluated.ending == .status(0), "\(evaluated.errors)")
    #expect(try !files(with: user).isEmpty)
    let ended = try nightjar("erase", "--user", user)
    try #require(ended.ending == .status(0), "\(ended.errors)")
    #expect(try files(with: user) == [])
    let verified = try nightjar("verify")
    #expect(verified.ending == .status(0), "\(verified.output)\(verified.errors)")
    let explained = try nightjar("explain", "--user", "bob-1", "--candidate", "g5")
    #expect(
      explained.ending == .status(0) && explained.output.contains("follows_owner=no"), "\(explained.errors)")
    let again = try Program.run(
      "nightjar-evaluate", [scratch("tiny.yaml"), "--work", scratch("var"), "--quiet", "--force"])
    #expect(again.ending == .status(0), "\(again.errors)")
    // The snapshot must equal a snapshot of exports without the erased rows.
    try run("--until", "rank")
    for name in ["snapshot/interactions", "snapshot/entities"] {
      let differences = try DirectoryContents(of: scratch("var/tiny/runs/1/\(name)")).differences(
        from: DirectoryContents(of: scratch("var/tiny/runs/2/\(name)")))
      #expect(differences.isEmpty, "\(name): \(differences)")
    }
  }

  @Test func `following an organizer is a reason, and explain shows it`() throws {
    try run()
    let yes = try nightjar("explain", "--user", "dee-3", "--candidate", "g5")
    #expect(yes.output.contains("follows_owner=yes"), "\(yes.output)\(yes.errors)")
    // cid follows ann and has stopped following bob.
    #expect(
      try nightjar("explain", "--user", "cid-2", "--candidate", "g4").output.contains("follows_owner=yes"))
    #expect(
      try nightjar("explain", "--user", "cid-2", "--candidate", "g2").output.contains("follows_owner=no"))
    let text = try String(
      contentsOfFile: scratch("var/tiny/latest/rankings/gigs/part-00000.jsonl"), encoding: .utf8)
    #expect(text.contains("follows_owner=yes"))
    for threads in ["1", "2"] {
      let ended = try nightjar("run", "--until", "rank", "--threads", threads)
      #expect(ended.ending == .status(0), "\(ended.errors)")
    }
    for stage in ["models", "rankings"] {
      let differences = try DirectoryContents(of: scratch("var/tiny/runs/2/\(stage)")).differences(
        from: DirectoryContents(of: scratch("var/tiny/runs/3/\(stage)")))
      #expect(differences.isEmpty, "\(stage): \(differences)")
    }
  }
}
