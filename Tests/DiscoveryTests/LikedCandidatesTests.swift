import Columns
import Concurrency
import Files
import LeastSquares
import RunSchemas
import StageFixture
import TestSupport
import Testing
import Text

@testable import Discovery

struct LikedCandidatesTests {
  /// The first user's decision on candidate 0 is a pass. Candidate 1 is liked twice.
  private static let rows: [(user: Int, candidate: Int, at: Int, value: Double)] = [
    (0, 0, 1, 1), (0, 1, 2, 1), (0, 0, 3, -1), (0, 2, 4, 1), (0, 1, 5, 1), (1, 3, 6, -1), (2, 0, 7, 1),
  ]

  @Test func `the latest decision of a pair counts, and likes are ordered newest first`() throws {
    let liked = LikedCandidates(try LikesByHand.table(Self.rows, users: 4, candidates: 5))
    #expect(liked.offsets == [0, 2, 2, 3, 3])
    #expect(liked.candidates == [1, 2, 0] && liked.times == [5, 4, 7])
    #expect(liked.candidateCount == 5 && liked.userCount == 4 && liked.usersWithLikes == 2)
    #expect(liked.range(ofUser: 0) == 0..<2 && liked.range(ofUser: 2) == 2..<3)
  }

  @Test(
    arguments: [
      (0, [0, 0, 0, 0, 0], [], []), (1, [0, 1, 1, 1, 1], [0], [1]), (2, [0, 2, 2, 2, 2], [1, 0], [2, 1]),
      (3, [0, 1, 1, 1, 1], [1], [2]), (4, [0, 2, 2, 2, 2], [2, 1], [4, 2]),
      (7, [0, 2, 2, 3, 3], [1, 2, 0], [5, 4, 7]),
    ] as [(Int64, [Int], [UInt32], [Int64])])
  func `only decisions up to the cut count`(
    cut: Int64, offsets: [Int], candidates: [UInt32], times: [Int64]
  ) throws {
    let table = try LikesByHand.table(Self.rows, users: 4, candidates: 5)
    let liked = LikedCandidates(table, upTo: { _ in cut })
    #expect(liked.offsets == offsets && liked.candidates == candidates && liked.times == times)
  }

  @Test func `each user has a separate cut`() throws {
    let table = try LikesByHand.table(Self.rows, users: 4, candidates: 5)
    let liked = LikedCandidates(table, upTo: { $0 == 0 ? 2 : 7 }, threads: 2)
    #expect(liked.candidates == [1, 0, 0] && liked.times == [2, 1, 7])
  }

  /// Workers collect the likes of 4096 users at a time.
  @Test func `the likes of many users are joined in the order of users`() throws {
    let users = 4099
    let table = try LikesByHand.table(
      (0..<users).map { ($0, $0 % 7, $0, $0 % 3 == 0 ? -1 : 1) }, users: users, candidates: 7)
    let liked = LikedCandidates(table, threads: 2)
    let likers = (0..<users).filter { $0 % 3 != 0 }
    #expect(liked.candidates == likers.map { UInt32($0 % 7) })
    #expect(liked.times == likers.map { Int64($0) })
    let counts = (0..<users).map { liked.range(ofUser: $0).count }
    #expect(counts == (0..<users).map { $0 % 3 == 0 ? 0 : 1 })
  }
}
