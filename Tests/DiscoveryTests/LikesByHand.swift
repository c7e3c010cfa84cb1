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

/// Builds tables of interactions from rows that a test lists.
enum LikesByHand {
  /// Returns interactions in the order in which ingest writes them: by user, then by time.
  static func table(
    _ rows: [(user: Int, candidate: Int, at: Int, value: Double)], users: Int, candidates: Int
  ) throws -> InteractionTable {
    let ordered = rows.enumerated().sorted {
      ($0.element.user, $0.element.at, $0.offset) < ($1.element.user, $1.element.at, $1.offset)
    }.map(\.element)
    let byCandidate = ordered.indices.sorted { (ordered[$0].candidate, $0) < (ordered[$1].candidate, $1) }
    func offsets(_ members: [Int], of count: Int) -> [UInt64] {
      var offsets = [UInt64](repeating: 0, count: count + 1)
      for member in members { offsets[member + 1] += 1 }
      for index in 0..<count { offsets[index + 1] += offsets[index] }
      return offsets
    }
    let scratch = try ScratchDirectory()
    var directory = try StageDirectory("made", in: scratch.path)
    try Column.write(ordered.map { UInt32($0.candidate) }, to: "candidate.npy", in: &directory)
    try Column.write(ordered.map { Int64($0.at) }, to: "at.npy", in: &directory)
    try Column.write(ordered.map(\.value), to: "value.npy", in: &directory)
    try Column.write(offsets(ordered.map(\.user), of: users), to: "user.offsets.npy", in: &directory)
    try Column.write(byCandidate.map { UInt32($0) }, to: "by_candidate.npy", in: &directory)
    try Column.write(
      offsets(ordered.map(\.candidate), of: candidates), to: "by_candidate.offsets.npy", in: &directory)
    _ = try directory.complete(
      Manifest(
        tool: "test", stage: "made", pipeline: "", configuration: .null, asOf: Instant(milliseconds: 0),
        seed: 0, counts: [:]))
    return try InteractionTable(scratch("made"))
  }

  /// The likes of each user, newest first. The n-th like of a user has the time n.
  static func liked(_ likes: [[UInt32]], candidates: Int, times: [Int64]? = nil) -> LikedCandidates {
    LikedCandidates(
      offsets: likes.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) },
      candidates: likes.flatMap { $0 }, times: times ?? likes.flatMap { $0.indices.map { Int64($0) } },
      candidateCount: candidates)
  }
}
