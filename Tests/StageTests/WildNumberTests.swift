import Concurrency
import Foundation
import TestSupport
import Testing

/// Compares a run in which a new account has an implausible value with a run in which its value is usual.
struct WildNumberTests {
  /// The candidates of each list by list, user and word.
  private struct Lists {
    private(set) var candidates: [[String]: [String]] = [:]

    init(_ run: FusionRun) throws {
      for list in ["partners", "partners_by_field", "incoming"] {
        for row in try rows(ofCSV: "\(run.path)/rankings/\(list).csv").dropFirst() {
          let key = list == "partners_by_field" ? [list, row[0], row[1]] : [list, row[0]]
          candidates[key, default: []].append(row[key.count])
        }
      }
    }

    func ofOthers(than person: String) -> [[String]: [String]] { candidates.filter { $0.key[1] != person } }
  }

  private static func experience(_ years: String, of document: String) throws -> String {
    let changed = document.replacing(
      /"experience":\{[^}]*\}/, with: #""experience":{"doubleValue":\#(years)}"#)
    try #require(changed.contains(years))
    return changed
  }

  private static func run(_ documents: [String], swipes: String) throws -> FusionRun {
    let exports = try ScratchDirectory()
    try exports.write(RawDocument.file(documents), to: "users.json")
    try FileManager.default.copyItem(atPath: swipes, toPath: exports("swipes.csv"))
    return try FusionRun(
      exports: exports.path, ["--until", "rank", "--as-of", FusionRun.newestSwipe])
  }

  @Test(arguments: ["1e100", "-9e99", "60"])
  func `the number of a new account changes no list without that account`(years: String) throws {
    let small = try SmallFusion.exports.get()
    let documents = try small.documents()
    var random = SplitMix64(seed: 5)
    let source = try #require(
      documents.filter { $0.contains("\"experience\"") }.randomElement(using: &random))
    let account = source.replacing(RawDocument.id(source), with: "zzzXQ")
    func lists(_ years: String) throws -> [[String]: [String]] {
      try Lists(
        Self.run(documents + [Self.experience(years, of: account)], swipes: small.directory("swipes.csv"))
      ).ofOthers(than: "zzzXQ")
    }
    let (ordinary, wild) = (try lists("10"), try lists(years))
    let without = ordinary.filter { key, list in
      !list.contains("zzzXQ") && wild[key]?.contains("zzzXQ") != true
    }
    #expect(!without.isEmpty)
    for (key, list) in without { #expect(wild[key] == list) }
  }

  /// The value of an old account that a wild value replaces.
  enum Wild: CaseIterable {
    case number, position

    func document(_ document: String) throws -> String {
      switch self {
      case .number:
        return try WildNumberTests.experience("1e100", of: document)
      case .position:
        let changed = document.replacing(
          /"geoPointValue":\{[^}]*\}/, with: #""geoPointValue":{"latitude":0.5,"longitude":0.5}"#)
        try #require(changed != document)
        return changed
      }
    }
  }

  @Test(arguments: Wild.allCases)
  func `a wild value of an old account replaces at most one of a hundred entries of others`(
    wild: Wild
  ) throws {
    let ordinary = try FusionRun.bundled.get()
    var documents = try RawDocument.documents(of: FusionRun.exports + "/users.json")
    var random = SplitMix64(seed: 31)
    let chosen = try #require(
      documents.indices.filter { documents[$0].contains("\"experience\":{\"integerValue\"") }
        .randomElement(using: &random))
    let person = RawDocument.id(documents[chosen])
    documents[chosen] = try wild.document(documents[chosen])
    let run = try Self.run(documents, swipes: FusionRun.exports + "/swipes.csv")
    let before = try Lists(ordinary).ofOthers(than: person)
    let after = try Lists(run).ofOthers(than: person)
    let replaced = before.map { key, list in
      Set(list).subtracting(after[key] ?? []).subtracting([person]).count
    }.reduce(0, +)
    let entries = before.values.map(\.count).reduce(0, +)
    #expect(entries > 100_000 && replaced * 100 <= entries, "\(replaced) of \(entries)")
    guard wild == .number else { return }
    let model = try run.manifest("models").object("counts").object("by_name").object("interests")
    #expect(try model.object("bounds").object("experience_years").integer("beyond") == 1)
  }
}
