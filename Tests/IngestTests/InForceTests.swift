import Columns
import Concurrency
import IngestFixture
import RunSchemas
import Testing
import TestSupport

@testable import Ingest

/// A like can be retracted, and a later like of the same pair can replace an earlier one.
@Suite struct InForceTests {
  private struct Like {
    var user: Int
    var candidate: Int
    var at: Int
    var word: String

    var line: String { "p\(user),p\(candidate),\(at),\(word)\n" }

    var value: Double { word == "yes" ? 1 : word == "no" ? -1 : .nan }
  }

  private static let people = (0..<6).map { "p\($0),,,,,,,,\n" }.joined()

  private func night(_ likes: [Like], _ value: String) throws -> Night {
    try Night(
      Night.yaml().replacing("map: { yes: 1, no: -1 }", with: value),
      [
        "people.csv": Night.peopleHeader + Self.people,
        "likes.csv": Night.likesHeader + likes.map(\.line).joined(),
      ])
  }

  /// Many likes are of the same pair, and some have the same time.
  private func likes(seed: UInt64) -> [Like] {
    var random = SplitMix64(seed: seed)
    return (0..<150).map { _ in
      let user = Int.random(in: 0..<6, using: &random)
      let candidate = (user + Int.random(in: 1..<6, using: &random)) % 6
      let word = ["yes", "no", "back"][Int.random(in: 0..<3, using: &random)]
      return Like(user: user, candidate: candidate, at: Int.random(in: 1...40, using: &random), word: word)
    }
  }

  /// Expects that `table` has the likes `expected`, in this order, with both groupings.
  private func expect(_ table: InteractionTable, has expected: [Like]) {
    #expect(table.user.elements == expected.map { UInt32($0.user) })
    #expect(table.candidate.elements == expected.map { UInt32($0.candidate) })
    #expect(table.at.elements == expected.map { Int64($0.at) })
    #expect(table.value.elements.map { "\($0)" } == expected.map { "\($0.value)" })
    #expect(table.userOffsets.count == 7 && table.candidateOffsets.count == 7)
    for person in 0..<6 {
      let received = table.byCandidate.elements[table.range(ofCandidate: person)].map { Int($0) }
      #expect(received == expected.indices.filter { expected[$0].candidate == person })
    }
  }

  @Test(arguments: 0..<6 as Range<UInt64>, [false, true])
  func `the interactions in force equal a naive search`(seed: UInt64, isLatestOnly: Bool) throws {
    let likes = likes(seed: seed)
    let option = isLatestOnly ? ", latest: true" : ""
    let snapshot = try night(likes, "map: { yes: 1, no: -1, back: taken_back }" + option).snapshot()
    let sorted = likes.enumerated().sorted { one, other in
      (one.element.user, one.element.at, one.offset) < (other.element.user, other.element.at, other.offset)
    }.map(\.element)
    expect(try #require(snapshot.history(of: "likes")), has: sorted)
    let inForce = sorted.indices.filter { index in
      let like = sorted[index]
      let ends = sorted[(index + 1)...].contains { other in
        other.user == like.user && other.candidate == like.candidate && (isLatestOnly || other.word == "back")
      }
      return like.word != "back" && !ends
    }
    #expect(inForce.count > 5 && inForce.count < 100)
    expect(try #require(snapshot.interactions["likes"]), has: inForce.map { sorted[$0] })
  }

  @Test func `without a retraction all interactions are in force`() throws {
    let likes = likes(seed: 9).filter { $0.word != "back" }
    let night = try night(likes, "map: { yes: 1, no: -1 }")
    #expect(try night.snapshot().interactions["likes"]?.count == likes.count)
    #expect(!night.scratch.files.contains { $0.contains("in_force") })
  }
}
