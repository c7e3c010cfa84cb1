package import Files

/// A column of time intervals: a set of intervals per row, in milliseconds since 1970 UTC.
///
/// ```
/// <name>.offsets.npy     UInt64: row r has the intervals at indices offsets[r]..<offsets[r + 1]
/// <name>.begins.npy      Int64: the beginning of each interval, ascending within a row
/// <name>.ends.npy        Int64: the exclusive end of each interval, which is after the beginning
/// ```
package struct IntervalColumn: Sendable {
  package let offsets: Column<UInt64>
  package let begins: Column<Int64>
  package let ends: Column<Int64>

  /// Maps the files of the column at `path`.
  ///
  /// - Parameters:
  ///   - path: The column.
  ///   - count: The number of rows that the column must have; any number if `nil`.
  /// - Throws: `FileError` if a file is missing or damaged, the number of rows differs, the offsets do not
  ///   divide the intervals into sets, a time is out of range, or an interval is empty or ends before it
  ///   begins.
  package init(_ path: String, count: Int? = nil) throws(FileError) {
    let (from, to, starts) = (path + ".begins.npy", path + ".ends.npy", path + ".offsets.npy")
    begins = try Column<Int64>(from).checkedTimes(from)
    ends = try Column<Int64>(to, count: begins.count).checkedTimes(to)
    offsets = try Column<UInt64>(starts).checked(dividing: begins.count, among: count, starts)
    guard Self.ascend(begins.span, ends.span) else {
      throw FileError(damaged: to, "an interval is empty or ends before it begins")
    }
  }

  private static func ascend(_ begins: Span<Int64>, _ ends: Span<Int64>) -> Bool {
    var descents = 0
    for index in begins.indices { descents += ends[index] <= begins[index] ? 1 : 0 }
    return descents == 0
  }

  package var count: Int { offsets.count - 1 }

  /// Returns the index range of the intervals of `row`.
  package func range(_ row: Int) -> Range<Int> {
    offsets.range(of: row)
  }

  /// Returns the intervals of `row`, sorted by beginning.
  package func intervals(_ row: Int) -> [Range<Int64>] {
    range(row).map { begins[$0]..<ends[$0] }
  }

  /// Returns whether `row` has an interval that overlaps `span`. Intervals that merely touch `span` do not
  /// count.
  package func overlaps(_ row: Int, _ span: Range<Int64>) -> Bool {
    range(row).contains { begins[$0] < span.upperBound && ends[$0] > span.lowerBound }
  }

  /// Writes one set of intervals per row, in any order. Intervals must not be empty.
  package static func write(
    _ sets: [[Range<Int64>]], to name: String, in directory: inout StageDirectory
  ) throws(FileError) {
    let column = laidOut(sets)
    try Column.write(column.offsets, to: name + ".offsets.npy", in: &directory)
    try Column.write(column.begins, to: name + ".begins.npy", in: &directory)
    try Column.write(column.ends, to: name + ".ends.npy", in: &directory)
  }

  /// Creates the column in memory, with one set of intervals per row.
  package init(inMemory sets: [[Range<Int64>]]) {
    let column = Self.laidOut(sets)
    offsets = Column(inMemory: column.offsets)
    begins = Column(inMemory: column.begins)
    ends = Column(inMemory: column.ends)
  }

  /// Returns the beginnings and ends of all intervals, set by set, and the offset of each set in these
  /// arrays. The last offset is the number of intervals.
  private static func laidOut(_ sets: [[Range<Int64>]]) -> (
    offsets: [UInt64], begins: [Int64], ends: [Int64]
  ) {
    var offsets: [UInt64] = [0]
    offsets.reserveCapacity(sets.count + 1)
    var (begins, ends): ([Int64], [Int64]) = ([], [])
    for set in sets {
      for interval in set.sorted(by: { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) }) {
        begins.append(interval.lowerBound)
        ends.append(interval.upperBound)
      }
      offsets.append(UInt64(begins.count))
    }
    return (offsets, begins, ends)
  }
}
