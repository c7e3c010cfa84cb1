import Files
import Foundation
import RunSchemas
import StageFixture
import TestSupport
import Testing
import Text

@testable import Evaluation

/// Compares the reported differences between two runs with the files of the runs.
@Suite struct RunDifferenceTests {
  private static func night(_ export: RandomExport, top: Int = 4) throws -> StageFixture {
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: "[distance]", ranking: "    top: \(top)"), files: export.files)
    try fixture.runStages()
    return fixture
  }

  /// The lists in `rankings/near.csv` by user id.
  private static func lists(_ night: StageFixture, _ name: String) throws -> [String: [String]] {
    try night.rows("rankings/\(name).csv").reduce(into: [:]) { lists, row in
      lists[row[0], default: []].append(row[2])
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `lists are compared by the ids of their users and candidates`(_ seed: UInt64) throws {
    // The later run has other people and swipes, so the row numbers of equal ids differ.
    let early = try Self.night(RandomExport(seed: seed, people: 12, swipes: 60))
    let late = try Self.night(RandomExport(seed: seed + 10, people: 15, swipes: 50))
    let difference = try RunDifference(from: early.run, to: late.run)
    #expect(!difference.lists.isEmpty)
    for change in difference.lists {
      let (before, after) = (try Self.lists(early, change.ranking), try Self.lists(late, change.ranking))
      let both = Set(before.keys).intersection(after.keys)
      #expect(change.users.both == both.count)
      #expect(change.users.lost == before.count - both.count)
      #expect(change.users.gained == after.count - both.count)
      let overlaps = both.sorted().map { rankBiasedOverlap(before[$0] ?? [], after[$0] ?? []) }
      let mean = overlaps.reduce(0, +) / Double(overlaps.count)
      #expect(abs(try #require(change.overlap) - mean) < 1e-12)
    }
  }

  @Test func `a run does not differ from itself`() throws {
    let night = try Self.night(RandomExport(seed: 1, people: 12, swipes: 60))
    let difference = try RunDifference(from: night.run, to: night.run)
    #expect(difference.changes == [])
    for change in difference.lists {
      #expect(change.users.lost == 0 && change.users.gained == 0 && change.overlap == 1)
    }
    #expect(
      difference.lines(.text(width: 80)).contains("Both runs have the same settings, counts and quality."))
  }

  @Test func `a changed setting and its counts are listed, settings first, then by stage`() throws {
    let export = RandomExport(seed: 1, people: 12, swipes: 60)
    let (early, late) = (try Self.night(export), try Self.night(export, top: 2))
    let difference = try RunDifference(from: early.run, to: late.run)
    let first = try #require(difference.changes.first)
    #expect(first.part == "settings" && first.figure.hasSuffix(".top"))
    #expect(first.before?.stringValue == "4" && first.after?.stringValue == "2")
    #expect(difference.changes.dropFirst().allSatisfy { $0.part == "rank" })
    // The export differs in one row, which is invalid.
    var files = export.files
    let name = try #require(files.keys.first { $0.contains("swipe") })
    files[name] = (files[name] ?? "") + "p1,p2,no time,1\n"
    let broken = try StageFixture(
      yaml: RandomExport.yaml(features: "[distance]", ranking: "    top: 4"), files: files)
    try broken.runStages()
    let changes = try RunDifference(from: early.run, to: broken.run).changes
    let read = try #require(changes.first { $0.part == "ingest" && $0.figure.hasSuffix(".read") })
    #expect(read.after?.integerValue == (read.before?.integerValue ?? 0) + 1)
    let lost = try #require(changes.first { $0.figure.contains("ed.") || $0.figure.contains("dangling.") })
    #expect(lost.after?.integerValue == (lost.before?.integerValue ?? 0) + 1)
  }

  @Test func `a run without rankings is compared by its other stages`() throws {
    let export = RandomExport(seed: 1, people: 12, swipes: 60)
    let (whole, part) = (try Self.night(export), try Self.night(export))
    try FileManager.default.removeItem(atPath: part.run + "/rankings")
    for (first, second) in [(whole, part), (part, whole), (part, part)] {
      let difference = try RunDifference(from: first.run, to: second.run)
      #expect(difference.lists == [])
      let sides = [first, second].map { $0.run == whole.run ? "users for users" : nil }
      let near = RunDifference.UncomparedList(ranking: "near", before: sides[0], after: sides[1])
      #expect(difference.uncompared == (first.run == second.run ? [] : [near]))
      #expect(difference.lines(.text(width: 80)).contains("The runs have no lists in common."))
      #expect(difference.changes.allSatisfy { $0.part == "rank" })
      #expect(difference.changes.isEmpty == (first.run == second.run))
    }
  }

  /// A list was renamed, and the candidates of another list changed.
  @Test func `lists that are not in both runs, or whose people changed, are named`() throws {
    let export = RandomExport(seed: 1, people: 12, swipes: 60)
    let early = try Self.night(export)
    let yaml = RandomExport.yaml(features: "[distance]", ranking: "    top: 4")
    func night(_ yaml: String) throws -> StageFixture {
      let fixture = try StageFixture(yaml: yaml, files: export.files)
      try fixture.runStages()
      return fixture
    }
    let renamed = try night(yaml.replacing("  near:", with: "  far:"))
    let new = try RunDifference(from: early.run, to: renamed.run)
    #expect(new.lists == [])
    #expect(
      new.uncompared == [
        RunDifference.UncomparedList(ranking: "near", before: "users for users", after: nil),
        RunDifference.UncomparedList(ranking: "far", before: nil, after: "users for users"),
      ])
    #expect(
      new.lines(.text(width: nil)).suffix(3) == [
        "The runs have no lists in common.",
        "The lists of 'near' are not compared: only the first run has them.",
        "The lists of 'far' are not compared: only the second run has them.",
      ])
    #expect(new.lines(.csv).suffix(2) == ["lists,near,users for users,", "lists,far,,users for users"])
    // The entity of the users has another name in the second run.
    let people = try night(
      yaml.replacing("  users:\n    source", with: "  people:\n    source")
        .replacing("users: users", with: "users: people")
        .replacing("candidates: users", with: "candidates: people"))
    let changed = try RunDifference(from: early.run, to: people.run)
    #expect(changed.lists == [])
    #expect(
      changed.lines(.text(width: nil)).last
        == "The lists of 'near' are not compared: they changed from users for users to people for people.")
    let bytes = Data(changed.lines(.json).joined(separator: "\n").utf8)
    let json = try JSONDecoder().decode(JSONValue.self, from: bytes)
    #expect(
      json["lists_not_compared"]
        == .array([["list": "near", "before": "users for users", "after": "people for people"]]))
    #expect(try RunDifference(from: early.run, to: early.run).uncompared == [])
  }

  @Test func `counts above 999 have separators only in the text`() throws {
    let exports = [1200, 1300].map { RandomExport(seed: 1, people: 60, swipes: $0) }
    let runs = try exports.map { try Self.night($0) }
    let counts = exports.map(\.swipes.count)
    #expect(counts.allSatisfy { $0 > 999 })
    let difference = try RunDifference(from: runs[0].run, to: runs[1].run)
    let csv = difference.lines(.csv)
    #expect(csv.contains("ingest,swipes.read,\(counts[0]),\(counts[1])"), "\(csv)")
    let text = difference.lines(.text(width: nil))
    #expect(text.contains { $0.contains("swipes.read") && $0.contains(counts[1].grouped) })
    let growth = (counts[1] - counts[0]).grouped
    #expect(text.contains { $0.contains("swipes.read") && $0.hasSuffix("  +\(growth)") })
    let back = try RunDifference(from: runs[1].run, to: runs[0].run).lines(.text(width: nil))
    #expect(back.contains { $0.contains("swipes.read") && $0.hasSuffix("  -\(growth)") })
  }

  @Test func `all formats have the same values`() throws {
    let export = RandomExport(seed: 1, people: 12, swipes: 60)
    let (early, late) = (try Self.night(export), try Self.night(export, top: 2))
    let difference = try RunDifference(from: early.run, to: late.run)
    let csv = difference.lines(.csv)
    #expect(csv[0] == "part,figure,before,after")
    #expect(csv.count == 1 + difference.changes.count + 4 * difference.lists.count)
    #expect(csv.contains { $0.hasPrefix("settings,") && $0.hasSuffix(".top,4,2") })
    let text = difference.lines(.text(width: nil))
    #expect(text[0].hasPrefix("from  ") && text[1].hasPrefix("to    "))
    #expect(text.contains { $0.hasPrefix("settings ") && $0.hasSuffix("2") })
    let json = difference.lines(.json).joined()
    #expect(json.contains("\"users_in_both\"") && json.contains("\"overlap\""))
  }

  /// Writes an evaluation with these means of the pipeline's own ranking.
  private static func evaluate(_ night: StageFixture, area: Double, gain: Double) throws {
    let own: JSONValue = [
      "ordering": ["auc": ["users": 3, "mean": .number(area)]],
      "finding": ["ndcg@5": ["users": 3, "mean": .number(gain)]],
    ]
    let near: JSONValue = ["method_order": .array(["pipeline"]), "methods": ["pipeline": own]]
    let metrics: JSONValue = ["rankings": ["near": near]]
    let directory = night.run + "/evaluation"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data(metrics.pretty).write(to: URL(filePath: directory + "/metrics.json"))
  }

  private static func cells(_ lines: [String]) -> [[String]] {
    lines.map { $0.split(separator: " ").map(String.init) }
  }

  @Test func `the means of evaluations are compared after the counts of the other stages`() throws {
    let early = try Self.night(RandomExport(seed: 1, people: 12, swipes: 60))
    let late = try Self.night(RandomExport(seed: 2, people: 15, swipes: 90), top: 2)
    try Self.evaluate(late, area: 0.75, gain: 0.125)
    // The first run has no evaluation.
    let new = try RunDifference(from: early.run, to: late.run)
    let area = RunDifference.Change("evaluate", "near.auc", nil, .number(0.75))
    let gain = RunDifference.Change("evaluate", "near.ndcg@5", nil, .number(0.125))
    #expect(new.changes.suffix(2) == [area, gain])
    #expect(new.lines(.csv).contains("evaluate,near.auc,,0.75"))
    #expect(Self.cells(new.lines(.text(width: nil))).contains(["evaluate", "near.auc", "-", "0.750"]))

    try Self.evaluate(early, area: 0.5, gain: 0.25)
    let difference = try RunDifference(from: early.run, to: late.run)
    let parts = difference.changes.map(\.part).reduce(into: [] as [String]) { parts, part in
      if parts.last != part { parts.append(part) }
    }
    let order = ["settings", "ingest", "index", "fit", "rank", "evaluate"]
    #expect(parts == order.filter(parts.contains))
    #expect(parts.contains("ingest") && parts.contains("settings") && parts.contains("evaluate"))
    for part in parts {
      let figures = difference.changes.filter { $0.part == part }.map(\.figure)
      #expect(figures == figures.sorted(), "\(part)")
    }
    let read = try #require(difference.changes.first { $0.figure == "users.read" })
    #expect(read.part == "ingest" && read.before == 12 && read.after == 15)
    #expect(difference.lines(.csv).contains("evaluate,near.auc,0.5,0.75"))
    let text = Self.cells(difference.lines(.text(width: nil)))
    #expect(text.contains(["part", "figure", "before", "after", "change"]))
    #expect(text.contains(["evaluate", "near.auc", "0.500", "0.750", "+0.250"]))
    #expect(text.contains(["evaluate", "near.ndcg@5", "0.250", "0.125", "-0.125"]))
    let setting = try #require(difference.changes.first)
    #expect(text.contains(["settings", setting.figure, "4", "2"]))
  }

  @Test func `each format names both runs and has every change and every list`() throws {
    let early = try Self.night(RandomExport(seed: 1, people: 12, swipes: 60))
    let late = try Self.night(RandomExport(seed: 11, people: 15, swipes: 50))
    let difference = try RunDifference(from: early.run, to: late.run)
    let (first, second) = (try early.snapshot().manifest.asOf, try late.snapshot().manifest.asOf)
    #expect(difference.titles.before == "random, run run, as of \(first)")
    #expect(difference.titles.after == "random, run run, as of \(second)")
    let text = difference.lines(.text(width: nil))
    #expect(text[0] == "from  \(difference.titles.before)" && text[1] == "to    \(difference.titles.after)")
    #expect(text[2].isEmpty)

    let bytes = Data(difference.lines(.json).joined(separator: "\n").utf8)
    let json = try JSONDecoder().decode(JSONValue.self, from: bytes)
    #expect(json["before"] == .string(difference.titles.before))
    #expect(json["after"] == .string(difference.titles.after))
    let changes = difference.changes.map { change -> JSONValue in
      [
        "part": .string(change.part), "figure": .string(change.figure), "before": change.before ?? .null,
        "after": change.after ?? .null,
      ]
    }
    #expect(json["changes"]?.elements == changes && !changes.isEmpty)
    let lists = try #require(json["lists"]?.elements)
    #expect(lists.count == difference.lists.count && !lists.isEmpty)
    var rows: [String] = []
    let cells = Self.cells(text)
    #expect(cells.contains(["list", "users", "in", "both", "lost", "gained", "overlap"]))
    for (list, found) in zip(difference.lists, lists) {
      let users = list.users
      #expect(found["list"] == .string(list.ranking))
      #expect(found["users_in_both"] == .integer(users.both) && found["users_lost"] == .integer(users.lost))
      #expect(found["users_gained"] == .integer(users.gained))
      #expect(found["overlap"]?.numberValue == list.overlap)
      rows.append("lists,\(list.ranking).users_in_both,,\(users.both)")
      rows.append("lists,\(list.ranking).users_lost,,\(users.lost)")
      rows.append("lists,\(list.ranking).users_gained,,\(users.gained)")
      rows.append("lists,\(list.ranking).overlap,,\(list.overlap.map { "\($0)" } ?? "")")
      let counts = [users.both, users.lost, users.gained].map { String($0) }
      #expect(cells.contains([list.ranking] + counts + [list.overlap.map { $0.fixed(3) } ?? "-"]))
    }
    #expect(difference.lines(.csv).suffix(rows.count) == rows[...])
  }

  /// Replaces the models and the lists of a run with empty ones whose manifests have these counts.
  private static func count(_ night: StageFixture, models: JSONValue, lists: JSONValue) throws {
    let asOf = try night.snapshot().manifest.asOf
    func manifest(_ stage: String, _ counts: JSONValue) -> Manifest {
      Manifest(
        tool: "test", stage: stage, pipeline: "random", configuration: .null, asOf: asOf, seed: 0,
        counts: counts)
    }
    let fitted = try StageDirectory("models", in: night.run, replaces: true)
    _ = try fitted.complete(manifest("models", models))
    try publish(night, [], counts: ["lists": lists])
  }

  /// The figures of `fit` and `rank` that differ, with both values.
  private static func counted(_ early: StageFixture, _ late: StageFixture) throws -> [String] {
    try RunDifference(from: early.run, to: late.run).changes.filter { ["fit", "rank"].contains($0.part) }
      .map { change in
        let values = [change.before, change.after].map { $0?.integerValue.map { String($0) } ?? "-" }
        return ([change.part, change.figure] + values).joined(separator: " ")
      }
  }

  @Test func `paths of counts are short, and counts that follow from others are left out`() throws {
    let export = RandomExport(seed: 1, people: 12, swipes: 60)
    let (early, late) = (try Self.night(export), try Self.night(export))
    func lists(_ full: Int, pairs: Int) -> JSONValue {
      let users: JSONValue = ["full_lists": .integer(full), "shortfall": ["reach": .integer(full + 1)]]
      return ["near": ["users": users, "candidates": ["pairs": .integer(pairs)]]]
    }
    func named(_ models: Int...) -> JSONValue {
      let names = ["cold", "warm"]
      let byName = zip(names, models).map { ($0, ["models": .integer($1)] as JSONValue) }
      return [
        "models": .integer(models.reduce(0, +)), "by_name": .object(Dictionary(uniqueKeysWithValues: byName)),
        "newest": .integer(models[0]), "l2": .number(Double(models[0]) + 0.5),
      ]
    }
    let ranked = ["rank near.full_lists 3 4", "rank near.shortfall.reach 4 5"]
    try Self.count(early, models: named(5, 2), lists: lists(3, pairs: 10))
    try Self.count(late, models: named(6, 2), lists: lists(4, pairs: 11))
    #expect(try Self.counted(early, late) == ["fit cold.models 5 6", "fit models 7 8"] + ranked)
    // The total of a single named model equals its own count.
    try Self.count(early, models: named(5), lists: lists(3, pairs: 10))
    try Self.count(late, models: named(6), lists: lists(4, pairs: 11))
    #expect(try Self.counted(early, late) == ["fit cold.models 5 6"] + ranked)
    // A count that only one of the runs has is compared with nothing.
    try Self.count(late, models: ["models": 6], lists: lists(3, pairs: 10))
    #expect(try Self.counted(early, late) == ["fit cold.models 5 -", "fit models - 6"])
  }

  /// Replaces the lists of a run.
  private static func publish(
    _ night: StageFixture, _ lists: [(user: String, list: [String])], counts: JSONValue = [:]
  ) throws {
    var directory = try StageDirectory("rankings", in: night.run, replaces: true)
    let header = "user_id,rank,candidate_id,score,distance_km\n"
    let rows = lists.flatMap { user, list in
      list.enumerated().map { "\(user),\($0.offset + 1),\($0.element),,\n" }
    }
    let near = Array((header + rows.joined()).utf8)
    try directory.write("near.csv") { (writer) throws(FileError) in try writer.append(near) }
    let asOf = try night.snapshot().manifest.asOf
    _ = try directory.complete(
      Manifest(
        tool: "test", stage: "rankings", pipeline: "random", configuration: .null, asOf: asOf, seed: 0,
        counts: counts))
  }

  @Test func `a repeated candidate counts at its first place, and an unknown one matches no other`() throws {
    let export = RandomExport(seed: 1, people: 12, swipes: 60)
    let (early, late) = (try Self.night(export), try Self.night(export))
    try Self.publish(
      early,
      [
        ("p1000", ["p1001", "p1002", "p1001", "p1003"]), ("p1001", ["gone", "p1002"]), ("p1002", ["p1001"]),
        ("p1004", ["p1005"]), ("p1005", ["p1004"]),
      ])
    try Self.publish(
      late,
      [
        ("p1000", ["p1001", "p1002", "p1003", "p1002"]), ("p1001", ["p1002", "p1003"]),
        ("p1003", ["p1001"]),
      ])
    let lists = try RunDifference(from: early.run, to: late.run).lists
    let near = try #require(lists.first { $0.ranking == "near" })
    #expect(near.users.both == 2 && near.users.lost == 3 && near.users.gained == 1)
    let changed = rankBiasedOverlap(["gone", "p1002"], ["p1002", "p1003"])
    #expect(abs(try #require(near.overlap) - (1 + changed) / 2) < 1e-12)
    #expect(lists.count == 1)

    // Without a user who has a list in both runs, there is no overlap.
    try Self.publish(late, [("p1003", ["p1001"])])
    let apart = try RunDifference(from: early.run, to: late.run)
    let users = RunDifference.ListChange.Users(both: 0, lost: 5, gained: 1)
    #expect(apart.lists == [RunDifference.ListChange(ranking: "near", users: users, overlap: nil)])
    #expect(apart.lines(.csv).last == "lists,near.overlap,,")
    #expect(Self.cells(apart.lines(.text(width: nil))).last == ["near", "0", "5", "1", "-"])
  }
}
