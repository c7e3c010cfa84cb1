import Foundation
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
    #expect(difference.lines(.text(width: 80)).contains("Settings, counts and quality are the same."))
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
      #expect(difference.lines(.text(width: 80)).contains("The runs have no lists in common."))
      #expect(difference.changes.allSatisfy { $0.part == "rank" })
      #expect(difference.changes.isEmpty == (first.run == second.run))
    }
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
}
