import Foundation
import Testing
import TestSupport

/// Compares every number of a run over the bundled exports with an independent calculation.
struct EveryListTests {
  /// An as-of time for a run over the bundled exports: the newest swipe, or a time that about half
  /// of the rows are later than.
  struct Moment: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var asOf: String
    var run: Result<FusionRun, any Error>

    static let newest = Moment(
      testDescription: "as of the newest swipe", asOf: FusionRun.newestSwipe, run: FusionRun.bundled)
    static let middle = Moment(
      testDescription: "as of a day in the middle", asOf: "2026-09-10T12:00:00Z",
      run: Result { try FusionRun(["--as-of", "2026-09-10T12:00:00Z"], untilExit: true) })
  }

  static let moments = [Moment.newest, .middle]

  /// The results of the reference implementation by as-of time. They are computed once.
  private static let bruteForce = Result {
    try Dictionary(
      uniqueKeysWithValues: moments.map {
        let asOf = try #require(milliseconds($0.asOf))
        return ($0.asOf, BruteForce(try RawExports(in: FusionRun.exports, asOf: asOf), asOf: asOf))
      })
  }

  private func bruteForce(_ moment: Moment) throws -> BruteForce {
    try #require(try Self.bruteForce.get()[moment.asOf])
  }

  @Test(arguments: moments) func `every list equals brute force`(_ moment: Moment) throws {
    let expected = try bruteForce(moment)
    let files = try RankingsFiles(moment.run.get().path + "/rankings", list: "partners")
    #expect(files.lines.map(\.user) == expected.ids, "every user must have a list, in the order of ids")
    var shortfalls: [String: Int] = [:]
    var (scored, reasons) = (0, 0)
    for line in files.lines {
      let list = expected.list(of: line.user)
      #expect(line.shortfall == list.shortfall, "\(line.user)")
      #expect(line.recommendations.map(\.candidate) == list.entries.map(\.candidate), "\(line.user)")
      #expect(line.recommendations.map(\.rank) == Array(1...line.recommendations.count + 1).dropLast())
      shortfalls[line.shortfall ?? "full", default: 0] += 1
      for (found, entry) in zip(line.recommendations, list.entries) where found.candidate == entry.candidate {
        expectEqual(found, entry, "\(line.user), rank \(found.rank)")
        scored += entry.score == nil ? 0 : 1
        reasons += found.reasons.count
      }
    }
    // The data must contain every reason for a short list, so all comparisons above have cases.
    #expect(shortfalls["full", default: 0] > 500)
    for reason in ["no_position", "none_above_minimum"] {
      #expect(shortfalls[reason, default: 0] > 10, "\(reason)")
    }
    #expect(files.lines.contains { $0.recommendations.first.map { $0.score == nil } ?? false })
    #expect(scored > 1000 && reasons > 1000, "\(scored) scores, \(reasons) reasons")
  }

  private func expectEqual(
    _ found: RankingsFiles.Line.Recommendation, _ expected: BruteForce.Entry, _ place: String
  ) {
    switch (found.score, expected.score) {
    case (let score?, let other?): #expect(abs(score - other) <= 1e-9 * max(1, abs(other)), "\(place)")
    case (nil, nil): break
    default: Issue.record("\(place): one score is missing")
    }
    // Distances are rounded to 0.1 km. Halfway between two values, both are correct.
    #expect(abs((found.kilometers ?? .nan) - expected.kilometers) <= 0.05 + 1e-9, "\(place)")
    #expect(
      abs((found.kilometers ?? .nan) * 10 - ((found.kilometers ?? .nan) * 10).rounded()) < 1e-6, "\(place)")
    expectReasons(found, expected, place)
  }

  /// Expects the three largest positive contributions, largest first. Contributions close to 0 may
  /// be missing.
  private func expectReasons(
    _ found: RankingsFiles.Line.Recommendation, _ expected: BruteForce.Entry, _ place: String
  ) {
    let terms = Dictionary(uniqueKeysWithValues: zip(expected.features, expected.contributions))
    for reason in found.reasons {
      let term = terms[reason.feature]
      #expect(term.map { abs($0 - reason.contribution) <= 1e-9 } ?? false, "\(place): \(reason)")
      #expect(reason.contribution > 0, "\(place)")
    }
    let sizes = found.reasons.map(\.contribution)
    #expect(sizes == sizes.sorted(by: >), "\(place)")
    let certain = terms.filter { $0.value > 1e-9 }.keys
    #expect(Set(certain).isSubset(of: Set(found.reasons.map(\.feature))), "\(place)")
  }

  @Test(arguments: moments) func `the CSV in long form has the same lists`(_ moment: Moment) throws {
    let rankings = try moment.run.get().path + "/rankings"
    let expected = try RankingsFiles(rankings, list: "partners").lines.flatMap { line in
      line.recommendations.map {
        [
          line.user, String($0.rank), $0.candidate, $0.score.map(\.description) ?? "",
          $0.kilometers.map(\.description) ?? "",
        ]
      }
    }
    let found = try rows(ofCSV: rankings + "/partners.csv")
    #expect(found.first == ["user_id", "rank", "candidate_id", "score", "distance_km"])
    #expect(Array(found.dropFirst()) == expected)
    #expect(expected.count > 5000)
  }

  @Test(arguments: moments) func `every match and its time equal brute force`(_ moment: Moment) throws {
    let expected = try bruteForce(moment).matches()
    let found = try rows(ofCSV: moment.run.get().path + "/rankings/matches.csv")
    #expect(found.first == ["user_id", "other_user_id", "matched_at"])
    let matches = try found.dropFirst().map {
      BruteForce.Match(first: $0[0], second: $0[1], since: try #require(milliseconds($0[2])))
    }
    #expect(matches == expected)
    #expect(matches.count > 500)
  }

  @Test(arguments: moments) func `every row read is kept, rejected, merged or later`(_ moment: Moment) throws
  {
    let expected = try bruteForce(moment)
    let manifest = try moment.run.get().manifest("snapshot")
    let sources = manifest.object("counts").object("sources")
    func counts(_ rejects: [RawExports.Reject]) -> [String: Int] {
      Dictionary(grouping: rejects.filter { $0.rule != "duplicate_id" }, by: \.rule).mapValues(\.count)
    }
    let users = sources.object("users")
    #expect(users.integer("read") == expected.exports.documentCount)
    #expect(users.integer("kept") == expected.keptPeople)
    #expect(users.integer("later") == expected.laterPeople)
    #expect(users.integer("merged") == expected.exports.rejectedPeople.count { $0.rule == "duplicate_id" })
    #expect(users.byRule == counts(expected.exports.rejectedPeople))
    let swipes = sources.object("swipes")
    #expect(swipes.integer("read") == expected.exports.rowCount)
    #expect(swipes.integer("kept") == expected.keptSwipes)
    #expect(swipes.integer("later") == expected.laterSwipes)
    #expect(swipes.integer("merged") == 0)
    #expect(swipes.byRule == counts(expected.exports.rejectedSwipes))
    for (name, source) in [("users", users), ("swipes", swipes)] {
      let rejected = source.byRule.values.reduce(0, +)
      let rest = ["kept", "merged", "later"].compactMap(source.integer).reduce(0, +)
      #expect(source.integer("read") == rest + rejected, "\(name)")
    }
    #expect(manifest.object("as_of")["utc"] as? String == moment.asOf)
  }

  @Test(arguments: moments) func `every reject is listed with its place and rule`(_ moment: Moment) throws {
    let exports = try bruteForce(moment).exports
    let found = try rows(ofCSV: moment.run.get().path + "/snapshot/rejects.csv")
    #expect(found.first == ["file", "unit", "number", "field", "rule", "value"])
    let expected =
      exports.rejectedPeople.map { ["users.json", "element", String($0.number), $0.rule] }
      + exports.rejectedSwipes.map { ["swipes.csv", "line", String($0.number), $0.rule] }
    let listed = found.dropFirst().map { row in
      [String(row[0].split(separator: "/").last ?? ""), row[1], row[2], row[4]]
    }
    #expect(listed == expected)
    // The data must contain rejects by several rules.
    #expect(Set(expected.map { $0[3] }).count > 2, "\(Set(expected.map { $0[3] }))")
  }

  @Test(arguments: moments) func `the buckets contain all users with a position, by business field`(
    _ moment: Moment
  )
    throws
  {
    let expected = try bruteForce(moment)
    let found = try rows(ofCSV: moment.run.get().path + "/index/users/buckets.csv")
    let header = try #require(found.first)
    #expect(Array(header.prefix(2)) == ["cell", "entities"])
    var cells: [String: [String: Int]] = [:]
    for (id, cell) in expected.cells {
      cells[cell.hash, default: [:]]["entities", default: 0] += 1
      guard let field = expected.exports.people[id]?.businessField else { continue }
      cells[cell.hash, default: [:]]["business_field=" + field, default: 0] += 1
    }
    var listed: [String: [String: Int]] = [:]
    for row in found.dropFirst() {
      let counts = try zip(header, row).dropFirst().map { ($0, try #require(Int($1))) }
      listed[row[0]] = Dictionary(uniqueKeysWithValues: counts.filter { $0.1 > 0 })
    }
    let ofFields = listed.mapValues {
      $0.filter { $0.key == "entities" || $0.key.hasPrefix("business_field=") }
    }
    #expect(ofFields == cells)
    #expect(cells.count > 10)
    #expect(found.dropFirst().map { $0[0] } == cells.keys.sorted(), "in the order of cells")
  }

  @Test(arguments: moments) func `the funnel accounts for every pair and every user`(_ moment: Moment) throws
  {
    let expected = try bruteForce(moment)
    let run = try moment.run.get()
    let funnel = try json(run.path + "/rankings/funnel.json").object("partners")
    let lines = try RankingsFiles(run.path + "/rankings", list: "partners").lines
    let people = expected.ids.count
    let candidates = funnel.object("candidates")
    let excluded = candidates.object("excluded").integers
    let parts =
      ["out_of_reach", "not_above_minimum", "beyond_top", "listed"].compactMap(candidates.integer).reduce(
        0, +)
      + excluded.values.reduce(0, +)
    #expect(candidates.integer("pairs") == people * people)
    #expect(parts == people * people)
    #expect(candidates.integer("listed") == lines.reduce(0) { $0 + $1.recommendations.count })
    #expect(
      excluded["self"] == expected.cells.count, "each user with a position is within reach of themselves")
    #expect(Set(excluded.keys) == ["self", "interacted", "vetoed", "deleted"])
    let users = funnel.object("users")
    #expect(users.integer("total") == people)
    #expect(users.integer("full_lists") == lines.count { $0.recommendations.count == 10 })
    #expect(users.integer("short_lists") == lines.count { $0.recommendations.count < 10 })
    #expect(users.integer("empty_lists") == lines.count { $0.recommendations.isEmpty })
    #expect(users.integer("ranked_by_score") == lines.count { $0.recommendations.first?.score != nil })
    let shortfalls = Dictionary(grouping: lines.compactMap(\.shortfall)) { $0 }.mapValues(\.count)
    #expect(users.object("shortfall").integers == shortfalls)
    let manifest = try run.manifest("rankings").object("counts")
    #expect(manifest.object("matches").integers == ["matches": expected.matches().count])
  }

  @Test func `explanations add up to the score of the list`() throws {
    let run = try FusionRun.bundled.get()
    let expected = try bruteForce(.newest)
    let lines = try RankingsFiles(run.path + "/rankings", list: "partners").lines
    let scored = lines.filter { $0.recommendations.first?.score != nil }
    try #require(scored.count > 150)
    var explainedReasons = 0
    for line in stride(from: 0, to: scored.count, by: 150).map({ scored[$0] }) {
      let recommendation = try #require(line.recommendations.last)
      let explained = try Explanation(
        Program.run(
          "nightjar",
          ["explain"] + run.chosen + ["--user", line.user, "--candidate", recommendation.candidate, "--json"])
      )
      let names = explained.terms.compactMap(\.term)
      let values = explained.terms.compactMap(\.contribution)
      try #require(names.count == 5 && values.count == 5)
      #expect(names.first == "(base)" && names.last == "(score)")
      #expect(values[4] == recommendation.score, "both scores must be equal")
      #expect(abs(values[0] + values[1] + values[2] + values[3] - values[4]) <= 1e-12)
      let model = try #require(expected.model(of: line.user))
      #expect(abs(values[0] - model.base) <= 1e-12)
      let reasons = recommendation.reasons
      for reason in reasons {
        let value = values[try #require(names.firstIndex(of: reason.feature))]
        // Published values have twelve significant digits.
        #expect(abs(value - reason.contribution) <= 5.1e-12 * value)
      }
      explainedReasons += reasons.count
      let positive = zip(names, values).dropFirst().dropLast().filter { $0.1 > 0 }
      #expect(Set(positive.map(\.0)) == Set(reasons.map(\.feature)))
    }
    #expect(explainedReasons > 0)
  }

  @Test func `synthesize writes the bundled exports with their planted rejects`() throws {
    let directory = try ScratchDirectory()
    let ended = try Program.run(
      "nightjar",
      [
        "synthesize", "--like", "fusion", "--users", "2000", "--swipes", "53000", "--seed", "42", "--out",
        directory.path,
      ])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    let written = try DirectoryContents(of: directory.path)
    #expect(try written.differences(from: DirectoryContents(of: FusionRun.exports)) == [])

    let summary = try #require(
      try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any])
    let sources = try FusionRun.bundled.get().manifest("snapshot").object("counts").object("sources")
    let users = sources.object("users")
    var planted = summary.object("usersBreaking").integers
    #expect(users.integer("merged") == planted.removeValue(forKey: "duplicate_id"))
    #expect(users.byRule == planted)
    #expect(users.integer("read") == summary.integer("documents"))
    #expect(users.integer("kept") == summary.integer("validUsers"))
    let swipes = sources.object("swipes")
    #expect(swipes.byRule == summary.object("swipesBreaking").integers)
    #expect(swipes.integer("read") == summary.integer("swipes"))
    #expect(swipes.integer("kept") == (summary.integer("likes") ?? 0) + (summary.integer("passes") ?? 0))
    let matches = try FusionRun.bundled.get().manifest("rankings").object("counts").object("matches")
    #expect(matches.integer("matches") == summary.integer("matches"))
  }
}
