import TestSupport
import Testing

@testable import Columns
@testable import Files

/// Columns that contain a set of time intervals per row.
struct IntervalColumnTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  @Test func `intervals round-trip, sorted by start`() throws {
    let sets: [[Range<Int64>]] = [[5..<9, 1..<2], [], [-3..<(-1)]]
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try IntervalColumn.write(sets, to: "open", in: &directory)
    }
    for column in [try IntervalColumn(path + "/open", count: 3), IntervalColumn(inMemory: sets)] {
      #expect(column.count == 3)
      #expect((0..<3).map(column.intervals) == [[1..<2, 5..<9], [], [-3..<(-1)]])
      #expect(column.range(0) == 0..<2 && column.range(1) == 2..<2)
    }
    #expect(throws: FileError.self) { _ = try IntervalColumn(path + "/open", count: 2) }
  }

  @Test(
    arguments: [
      (2..<5, false), (0..<1, false), (1..<2, true), (0..<2, true), (4..<6, true), (8..<9, true),
      (9..<12, false),
      (0..<20, true), (6..<7, true),
    ] as [(Range<Int64>, Bool)])
  func `an interval that merely touches a span does not overlap it`(span: Range<Int64>, overlaps: Bool) {
    let column = IntervalColumn(inMemory: [[1..<2, 5..<9], []])
    #expect(column.overlaps(0, span) == overlaps && !column.overlaps(1, span))
  }

  @Test(arguments: [
    ([1, 4], [2, 5], true), ([1, 4], [2, 4], false), ([1, 4], [2, 3], false), ([4, 1], [5, 2], true),
  ])
  func `an interval that does not end after its start is rejected`(
    begins: [Int64], ends: [Int64], isValid: Bool
  ) throws {
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try Column.write([0, UInt64(begins.count)], to: "open.offsets.npy", in: &directory)
      try Column.write(begins, to: "open.begins.npy", in: &directory)
      try Column.write(ends, to: "open.ends.npy", in: &directory)
    }
    if isValid {
      #expect(try IntervalColumn(path + "/open").count == 1)
    } else {
      let error = try #require(throws: FileError.self) { _ = try IntervalColumn(path + "/open") }
      #expect(error.reason.contains("an interval is empty or ends before it begins"))
    }
  }
}
