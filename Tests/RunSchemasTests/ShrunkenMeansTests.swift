import Columns
import Files
import Testing
import TestSupport

@testable import RunSchemas

/// Compares means of received values with values computed by hand.
@Suite struct ShrunkenMeansTests {
  /// Candidate 0 received 1 and 3, candidate 1 received -2, and candidate 2 received nothing.
  private static func received() throws -> ReceivedSums {
    let scratch = try ScratchDirectory()
    try scratch.stage("likes") {
      try Column.write([0, 1, 0] as [UInt32], to: "candidate.npy", in: &$0)
      try Column.write([1, 2, 3] as [Int64], to: "at.npy", in: &$0)
      try Column.write([1.0, -2, 3], to: "value.npy", in: &$0)
      try Column.write([0, 3] as [UInt64], to: "user.offsets.npy", in: &$0)
      try Column.write([0, 2, 1] as [UInt32], to: "by_candidate.npy", in: &$0)
      try Column.write([0, 2, 3, 3] as [UInt64], to: "by_candidate.offsets.npy", in: &$0)
    }
    return ReceivedSums(try InteractionTable(scratch("likes")))
  }

  @Test func `counts and sums are by candidate`() throws {
    let received = try Self.received()
    #expect(received.counts == [2, 1, 0])
    #expect(received.sums == [4, -2, 0])
  }

  @Test func `a candidate's mean is shrunk toward the mean of all`() throws {
    // The mean of all values is 2 / 3.
    let means = ShrunkenMeans(try Self.received(), strength: 3, groups: nil)
    #expect(means.values == [6.0 / 5, 0, 2.0 / 3])
  }

  @Test func `the group's mean replaces the mean of all, unless the group received nothing`()
    throws
  {
    let words = [Array("x".utf8), Array("y".utf8)]
    for (codes, expected) in [
      ([0, 0, 0], [6.0 / 5, 0, 2.0 / 3]),
      ([0, 1, 1], [2, -2, -2]), ([0, 0, 1], [6.0 / 5, 0, 2.0 / 3]),
      ([0, CategoryColumn.missing, 0], [2, 0, 2]),
    ] as [([UInt32], [Double])] {
      let groups = CategoryColumn(inMemory: codes, in: words)
      #expect(ShrunkenMeans(try Self.received(), strength: 3, groups: groups).values == expected, "\(codes)")
    }
  }

  @Test func `leaving out a candidate's only values leaves no mean`() throws {
    let means = ShrunkenMeans(try Self.received(), strength: 1, groups: nil)
    // Without the value 3, the mean of all values is -1 / 2.
    #expect(means.value(of: 0, leavingOut: 1, sum: 3) == 0.25)
    #expect(means.value(of: 1, leavingOut: 1, sum: -2).isNaN)
    #expect(means.value(of: 2, leavingOut: 3, sum: 2).isNaN)
  }
}
