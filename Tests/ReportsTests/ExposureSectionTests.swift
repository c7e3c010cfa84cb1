internal import RunSchemas
import Testing
import Text

@testable import Reports

/// How the exposure is distributed over candidates.
@Suite struct ExposureSectionTests {
  private static func lists(candidates: Int, pairs: Int = 0, lorenz: Int = 21) -> JSONValue {
    [
      "candidates": .integer(candidates), "coverage": .number(0.5), "never_shown": 5, "gini": .number(0.25),
      "listed_both_ways": .number(0.125),
      "lorenz": .array((0..<lorenz).map { .number(Double($0 * $0) / 400) }),
      "distance_km": ["median": .number(3.6)],
      "later_matches": [
        "pairs": .integer(pairs), "on_one_list": .integer(pairs), "on_both_lists": 0,
      ],
    ]
  }

  private static func lines(_ lists: JSONValue) throws -> [String] {
    var world = try RunByHand()
    world.judged = ["near": Found.ranking(lists: lists)]
    return try #require(Section.exposure(world.run())).shown
  }

  @Test(arguments: [(9, false), (10, true)])
  func `fewer than ten candidates have no section`(_ candidates: Int, _ isReported: Bool) throws {
    let lines = try Self.lines(Self.lists(candidates: candidates))
    #expect((lines == ["There are too few candidates to measure exposure."]) == !isReported)
  }

  @Test(arguments: [(9, "fewer than 10"), (10, "10"), (0, "0")])
  func `few later pairs are not counted exactly`(_ pairs: Int, _ shown: String) throws {
    let lines = try Self.lines(Self.lists(candidates: 20, pairs: pairs))
    #expect(lines.contains("random order | 12.5 % | \(shown) | \(shown) | 0"))
  }

  private static func groups(_ candidates: Int, _ likes: Int) -> JSONValue {
    func group(_ name: String, _ candidates: Int, _ likes: Int) -> JSONValue {
      [
        "group": .string(name), "candidates": .integer(candidates), "later_likes": .integer(likes),
        "share_of_later_likes": .number(0.5),
        "share_of_exposure": ["pipeline": .number(0.25), "random": .number(0.5)],
      ]
    }
    return [
      "received_likes": .array([group("1-4", 50, 50), group("20+", candidates, likes), group("0", 60, 70)])
    ]
  }

  @Test(arguments: [(10, 10, true), (9, 10, false), (10, 9, false)])
  func `a group of candidates needs ten candidates and ten later likes`(
    _ candidates: Int, _ likes: Int, _ isReported: Bool
  ) throws {
    var world = try RunByHand()
    world.judged = [
      "near": Found.ranking(
        lists: Self.lists(candidates: 200), more: ["candidate_groups": Self.groups(candidates, likes)])
    ]
    let lines = try #require(Section.exposure(world.run())).shown
    #expect(lines.contains("likes received before the cut: 1–4 | 50 | 50.0 % | 25.0 %"), "\(lines)")
    #expect(lines.contains("likes received before the cut: 20+ | 10 | 50.0 % | 25.0 %") == isReported)
  }

  @Test func `the top twentieth is reported in relation to the others`() throws {
    let lines = try Self.lines(Self.lists(candidates: 20))
    // The least shown nineteen twentieths of the candidates have 19² / 400 of the exposure.
    #expect(lines.contains("random order | 50.0 % | 5 | 0.250 | 9.8 % | 4 km"), "\(lines)")
    #expect(
      lines[0]
        == "50.0 % of 20 candidates are on at least one list; the 5 % with the most exposure have 9.8 % of all exposure; 12.5 % of all entries are reciprocal."
    )
    #expect(lines.contains("the lower 10.0 % | 1.0 % | 1.0 %"))
    var world = try RunByHand()
    world.judged = ["near": Found.ranking(lists: Self.lists(candidates: 20))]
    let rows = try #require(Section.exposure(world.run())?.blocks.charts.first).data.rows
    // Each method has a point per twentieth.
    #expect(rows.count == 2 * 21 && rows[1][1] == .number(0.05) && rows[20][1] == .number(1))
    let short = try Self.lines(Self.lists(candidates: 20, lorenz: 20))
    #expect(short.contains("random order | 50.0 % | 5 | 0.250 | – | 4 km"))
  }
}
