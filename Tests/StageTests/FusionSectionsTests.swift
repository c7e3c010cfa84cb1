import Foundation
import Testing
import TestSupport

/// Compares Fusion's sections other than the list of partners with a second implementation of the
/// rules. The exports are the bundled ones.
struct FusionSectionsTests {
  private static let expected = Result {
    let asOf = try #require(milliseconds(FusionRun.newestSwipe))
    return BruteForce(try RawExports(in: FusionRun.exports, asOf: asOf), asOf: asOf)
  }

  /// Whether `candidate` may be shown to `user`, regardless of their positions.
  private static func isEligible(_ candidate: String, for user: String, _ world: BruteForce) -> Bool {
    candidate != user && !(world.exports.people[candidate]?.isDeleted ?? true)
      && !world.interacted(user, candidate) && !world.vetoes(candidate, user)
  }

  @Test(arguments: [("investors", "entrepreneur", "investor"), ("entrepreneurs", "investor", "entrepreneur")])
  func `each side finds the other nearby, nearest first`(list: String, role: String, other: String) throws {
    let world = try Self.expected.get()
    let files = try RankingsFiles(FusionRun.bundled.get().path + "/rankings", list: list)
    let people = world.exports.people
    #expect(files.lines.map(\.user) == world.ids.filter { people[$0]?.role == role })
    let others = world.ids.filter { people[$0]?.role == other }
    var listed = 0
    for line in files.lines {
      var distances: [String: Double] = [:]
      if let origin = world.cells[line.user] {
        for id in others where Self.isEligible(id, for: line.user, world) {
          guard let cell = world.cells[id] else { continue }
          let kilometers = PlainGeodesy.kilometers(origin, cell)
          if kilometers <= 500 { distances[id] = kilometers }
        }
      }
      // Candidates at equal distances may come in any order.
      let found = line.recommendations.map { distances[$0.candidate] ?? .nan }
      #expect(found == distances.values.sorted().prefix(20).map(\.self), "\(line.user)")
      #expect(Set(line.recommendations.map(\.candidate)).count == line.recommendations.count)
      listed += found.count
    }
    #expect(listed > 1000)
  }

  @Test func `people who like the user wait for the answer, the best first`() throws {
    let world = try Self.expected.get()
    let files = try RankingsFiles(FusionRun.bundled.get().path + "/rankings", list: "incoming")
    #expect(files.lines.map(\.user) == world.ids)
    var waiting: [String: Set<String>] = [:]
    for (user, swipes) in world.swipesByUser {
      var latest: [String: Bool] = [:]
      for swipe in swipes { latest[swipe.candidate] = swipe.isLike }
      for (candidate, isLike) in latest where isLike && !world.interacted(candidate, user) {
        if world.exports.people[user]?.isDeleted == false { waiting[candidate, default: []].insert(user) }
      }
    }
    #expect(waiting.values.allSatisfy { $0.count <= 50 }, "no list may reach its maximum length")
    for line in files.lines {
      #expect(Set(line.recommendations.map(\.candidate)) == waiting[line.user, default: []], "\(line.user)")
      let scores = try line.recommendations.map { try #require($0.score) }
      #expect(scores == scores.sorted(by: >))
    }
    #expect(waiting.values.reduce(0) { $0 + $1.count } > 2000)
  }

  /// A list per field contains the best candidates of the field. A second run with `top` 1,000
  /// makes complete lists.
  @Test func `each business field has a list with its best candidates`() throws {
    struct Line: Decodable {
      struct List: Decodable { var recommendations: [RankingsFiles.Line.Recommendation] }
      var user: String
      var lists: [String: List]
    }
    func lines(_ rankings: String) throws -> [Line] {
      try String(contentsOfFile: rankings + "/partners_by_field/part-00000.jsonl", encoding: .utf8)
        .split(separator: "\n").map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    }
    let world = try Self.expected.get()
    let run = try FusionRun(copying: FusionRun.bundled.get())
    let ended = try run.again([
      "--from", "rank", "--until", "rank", "--set", "rankings.partners_by_field.top=1000",
    ])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    let short = try lines(run.path + "/rankings")
    let whole = try lines(run.directory("var/fusion/runs/2/rankings"))
    try #require(short.map(\.user) == world.ids && whole.map(\.user) == world.ids)
    let fields = Set(world.ids.compactMap { world.exports.people[$0]?.businessField })
    for (line, all) in zip(short, whole) {
      try #require(Set(line.lists.keys) == fields && Set(all.lists.keys) == fields)
      for (field, list) in all.lists {
        let ids = list.recommendations.map(\.candidate)
        #expect(line.lists[field]?.recommendations.map(\.candidate) == Array(ids.prefix(5)))
        let scores = list.recommendations.map { $0.score ?? .nan }
        #expect(scores == scores.sorted(by: >), "\(line.user), \(field)")
      }
    }
    // Checking all 2 000 times 2 000 distances takes too long. The test checks the full lists of every
    // twentieth user.
    for line in whole.enumerated().filter({ $0.offset % 20 == 0 }).map(\.element) {
      let origin = world.cells[line.user]
      let expected = world.ids.filter { id in
        guard let origin, let cell = world.cells[id], Self.isEligible(id, for: line.user, world) else {
          return false
        }
        return PlainGeodesy.kilometers(origin, cell) <= 500
      }
      let found = line.lists.flatMap { field, list in list.recommendations.map { [field, $0.candidate] } }
      #expect(Set(found) == Set(expected.map { [world.exports.people[$0]?.businessField ?? "", $0] }))
    }
  }
}
