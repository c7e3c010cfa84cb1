internal import RunSchemas
import Testing
import Text

@testable import Reports

/// Sections with a heading per ranking.
@Suite struct RankingHeadingTests {
  private static func sections(_ names: [String]) throws -> [Section] {
    var world = try RunByHand()
    world.yaml = RunByHand.yaml(rankings: names)
    let list = RunByHand.list(users: 100, full: 80, empty: 0)
    world.lists = .object(Dictionary(uniqueKeysWithValues: names.map { ($0, list) }))
    world.judged = .object(Dictionary(uniqueKeysWithValues: names.map { ($0, Found.ranking()) }))
    let run = try world.run()
    return [.quality(run), .slices(run), .exposure(run), .calibration(run)].compactMap(\.self)
  }

  @Test func `several rankings have a heading each, and a single ranking has none`() throws {
    func headings(_ section: Section) -> [String] {
      section.blocks.compactMap { if case .heading(let words) = $0 { words.shown } else { nil } }
    }
    #expect(try Self.sections(["near"]).map(headings) == Array(repeating: [], count: 4))
    #expect(
      try Self.sections(["near", "far"]).map { headings($0).sorted() }
        == Array(repeating: ["far", "near"], count: 4))
  }
}
