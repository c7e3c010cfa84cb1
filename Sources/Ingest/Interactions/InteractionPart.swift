/// An interaction in the bucket of its user.
struct BucketedInteraction: BitwiseCopyable {
  /// The rank of the candidate's id.
  var candidate: UInt32
  /// The place of the rank of the user's id in the bucket.
  var place: UInt16
  /// The place of the value in `distinctValues`; 0 where there is no such table.
  var code: UInt8
}

/// Some interactions that follow each other in the files.
struct InteractionPart: Sendable {
  /// By bucket, each bucket in input order: 8 bytes each, as there are more of them than of anything else.
  var rows: [UInt64] = []
  /// What `rows` mean.
  var packing = RowPacking(RowPacking.Extent(), times: [])
  /// Milliseconds since 1970 UTC, where `rows` do not tell times.
  var times: [Int64] = []
  /// The values of `rows`; empty where they are coded.
  var values: [Double] = []
  /// What `rows` were with, by rank, where that is not the candidate; empty unless somebody will ask.
  var items: [UInt32] = []
  /// Bucket `b` is `rows[starts[b]..<starts[b + 1]]`.
  var starts: [UInt32] = []
  /// By place in input order, the index in `rows`; empty unless somebody will ask for rows in input order.
  var order: [UInt32] = []
  /// The newest row's time; `Int64.min` without rows.
  var newest = Int64.min

  func range(_ bucket: Int) -> Range<Int> { Int(starts[bucket])..<Int(starts[bucket + 1]) }

  /// When the row at `index` was, in milliseconds since 1970 UTC.
  @inline(__always)
  func at(_ index: Int) -> Int64 { packing.tellsTimes ? packing.time(rows[index]) : times[index] }

  @inline(__always)
  func row(_ index: Int) -> BucketedInteraction {
    let (word, packing) = (rows[index], packing)
    return BucketedInteraction(
      candidate: packing.candidate(word), place: packing.place(word), code: packing.code(word))
  }
}

/// The rows of one bucket of one part, lent: copies of parts would count references to their arrays, for each part and bucket,
/// for which threads would wait for each other.
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

  /// Fetches the rows.
  @inline(__always)
  func prefetch() {
    rows.extracting(range).prefetch()
  }

  /// Calls `body` with the place of each row's user in the bucket.
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
      body(row, packing.tellsTimes ? packing.time(word) : times[index], index)
    }
  }
}
