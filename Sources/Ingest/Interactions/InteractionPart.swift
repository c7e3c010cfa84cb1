internal import Readers

/// One row of an `InteractionPart`. Its index in the part determines its bucket.
struct BucketedInteraction: BitwiseCopyable {
  /// The rank of the candidate's id.
  var candidate: UInt32
  /// The user's index in the bucket.
  var place: UInt16
  /// The index of the value in `distinctValues`; 0 if values are not coded.
  var code: UInt8
}

/// Interactions that are consecutive in the files.
struct InteractionPart: Sendable {
  /// The rows grouped by bucket, each bucket in input order. Each row is packed into 8 bytes, because
  /// interactions take most of the memory.
  var rows: [UInt64] = []
  /// The bit layout of `rows`.
  var packing = RowPacking(RowPacking.Extent(), times: [])
  /// The times in milliseconds since 1970 UTC; empty if `rows` contains the times.
  var times: [Int64] = []
  /// The values of `rows`; empty if the values are coded.
  var values: [Double] = []
  /// The nanoseconds of each row's time within its millisecond; empty if all are 0.
  var finer: [UInt32] = []
  /// The rank of each row's item; empty unless a later step needs the items. An item is the row whose id is
  /// in the candidate's field. The candidate is the item or its owner.
  var items: [UInt32] = []
  /// Bucket `b` is `rows[starts[b]..<starts[b + 1]]`.
  var starts: [UInt32] = []
  /// The index of each row in `rows`, by its index in input order; empty unless a later step needs the input
  /// order.
  var order: [UInt32] = []
  /// The time of the newest row, in milliseconds since 1970 UTC; `Int64.min` without rows.
  var newest = Int64.min

  func range(_ bucket: Int) -> Range<Int> { Int(starts[bucket])..<Int(starts[bucket + 1]) }

  /// Returns the time of the row at `index`, in milliseconds since 1970 UTC.
  @inline(__always)
  func at(_ index: Int) -> Int64 { packing.hasTimes ? packing.time(rows[index]) : times[index] }

  /// Returns the time of the row at `index`, including digits finer than a millisecond.
  func moment(_ index: Int) -> Moment {
    Moment(milliseconds: at(index), finer: finer.isEmpty ? 0 : finer[index])
  }

  @inline(__always)
  func row(_ index: Int) -> BucketedInteraction {
    let (word, packing) = (rows[index], packing)
    return BucketedInteraction(
      candidate: packing.candidate(word), place: packing.place(word), code: packing.code(word))
  }
}

/// A borrowed view of the rows of one bucket of one part.
///
/// Copying the part for each bucket would update the reference counts of its arrays, and threads would
/// contend for these counts.
struct InteractionBucketRows: ~Escapable {
  let range: Range<Int>
  private let packing: RowPacking
  private let rows: Span<UInt64>
  private let times: Span<Int64>

  @_lifetime(copy rows, copy times)
  @inline(__always)
  private init(_ range: Range<Int>, _ packing: RowPacking, _ rows: Span<UInt64>, _ times: Span<Int64>) {
    (self.range, self.packing) = (range, packing)
    self.rows = rows
    self.times = times
  }

  @_lifetime(copy parts)
  @inline(__always)
  static func of(_ number: Int, _ part: Int, in parts: Span<InteractionPart>) -> InteractionBucketRows {
    let range = Int(parts[part].starts[number])..<Int(parts[part].starts[number + 1])
    let rows = InteractionBucketRows(
      range, parts[part].packing, parts[part].rows.span, parts[part].times.span)
    return unsafe _overrideLifetime(rows, copying: parts)
  }

  @inline(__always)
  func prefetch() {
    rows.extracting(range).prefetch()
  }

  /// Calls `body` for each row with the user's index in the bucket.
  @inline(__always)
  func forEachPlace(_ body: (UInt16) -> Void) {
    for index in range { body(packing.place(rows[index])) }
  }

  /// Calls `body` with each row, its time and its index in the part.
  @inline(__always)
  func forEach(_ body: (_ row: BucketedInteraction, _ at: Int64, _ index: Int) -> Void) {
    for index in range {
      let word = rows[index]
      let row = BucketedInteraction(
        candidate: packing.candidate(word), place: packing.place(word), code: packing.code(word))
      body(row, packing.hasTimes ? packing.time(word) : times[index], index)
    }
  }
}
