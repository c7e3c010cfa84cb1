import Ranking
import RunSchemas
import Testing
import Text

@testable import Evaluation

/// Compares the exposure of groups of candidates with the likes that the groups receive.
@Suite struct GroupExposureTests {
  private static let slicing = Slicing(name: "city", slices: ["a", "b", "c"], sliceOfRow: [0, 1, nil, 1, 2])

  @Test func `each group has the likes and the exposure of its candidates on lists`() {
    let exposure = GroupExposure(
      Self.slicing, exposures: [[1, 2, 4, 8, 16], [0, 0, 0, 1, 0]],
      isCandidate: [true, true, true, true, false], likes: [5, 6, 7, 8, 9])
    #expect(exposure.property == "city")
    // The only candidate of group c is on no list, and candidate 2 is in no group.
    #expect(exposure.groups.map(\.name) == ["a", "b"])
    #expect(exposure.groups.map(\.candidates) == [1, 2] && exposure.groups.map(\.likes) == [5, 14])
    #expect(exposure.groups.map(\.exposures) == [[1, 0], [10, 1]])
  }

  @Test func `a place adds its discount to the exposure of its candidate`() {
    let exposures = ByHand.lists([[1, 0], [], [1]]).exposures(candidates: 3)
    #expect(exposures == [Exposure.discount(atPlace: 2), 2, 0])
  }

  @Test func `later passes are not likes`() {
    let decisions = ByHand.decisions([[(0, true), (2, false)], [(0, true), (1, false)], [(2, true)]])
    #expect(decisions.likesOfCandidate(count: 3) == [2, 0, 1])
  }

  @Test func `metrics.json states the shares of each method`() throws {
    let exposure = GroupExposure(
      Self.slicing, exposures: [[1, 2, 0, 1, 0], [0, 0, 0, 0, 0]],
      isCandidate: Array(repeating: true, count: 5), likes: [1, 0, 7, 2, 1])
    let evaluation = try OutputTests.evaluation(groupExposures: [exposure])
    let groups = evaluation.json(DeclaredTests(evaluation), .useful)["candidate_groups"]?["city"]
    #expect(
      groups?.elements == [
        [
          "group": "a", "candidates": 1, "later_likes": 1, "share_of_later_likes": .number(0.25),
          "share_of_exposure": ["pipeline": .number(0.25), "random": .null],
        ],
        [
          "group": "b", "candidates": 2, "later_likes": 2, "share_of_later_likes": .number(0.5),
          "share_of_exposure": ["pipeline": .number(0.75), "random": .null],
        ],
        [
          "group": "c", "candidates": 1, "later_likes": 1, "share_of_later_likes": .number(0.25),
          "share_of_exposure": ["pipeline": .number(0), "random": .null],
        ],
      ])
  }
}
