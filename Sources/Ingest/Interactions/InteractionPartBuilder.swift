/// An interaction as it is read, but for a value that is not among few: 24 bytes, as a block of them is to stay in a processor's cache
/// beside the block's text.
struct ReadInteraction: BitwiseCopyable {
  /// Milliseconds since 1970 UTC.
  var at: Int64
  /// Ranks of ids; `item` is what the row was with, where that is not the candidate.
  var user: UInt32
  var candidate: UInt32
  var item: UInt32
  /// The place of the value among few.
  var code: UInt8
}

/// Collects the rows of one block, and puts them by bucket of the user at its end.
struct InteractionPartBuilder {
  private let buckets: KeyBuckets
  /// Whether values are told by their place among few.
  let isCoded: Bool
  private let keepsOrder: Bool
  private let keepsItems: Bool
  private let spares: SpareArrays<ReadInteraction>
  private var rows: [ReadInteraction]
  /// The values of `rows`; empty where they are coded.
  private var values: [Double] = []

  /// - Parameters:
  ///   - buckets: Of the ranks of users.
  ///   - isCoded: Whether values are told by their place among few.
  ///   - keepsOrder: Whether somebody will ask for rows in input order.
  ///   - keepsItems: With `keepsOrder`: whether somebody will ask what a row was with.
  ///   - spares: Arrays of parts that are finished.
  init(
    _ buckets: KeyBuckets, isCoded: Bool, keepsOrder: Bool, keepsItems: Bool = false,
    spares: SpareArrays<ReadInteraction>
  ) {
    precondition(keepsOrder || !keepsItems, "rows that tell what they were with are moved in order")
    self.keepsItems = keepsItems
    self.buckets = buckets
    self.isCoded = isCoded
    self.keepsOrder = keepsOrder
    self.spares = spares
    rows = spares.take()
  }

  @inline(__always)
  mutating func append(_ row: ReadInteraction, value: Double) {
    rows.append(row)
    if !isCoded { values.append(value) }
  }

  /// Appends up to `count` rows, which `body` writes; `append(values:)` has to follow.
  @inline(__always)
  mutating func append(upTo count: Int, _ body: (inout OutputSpan<ReadInteraction>) -> Void) {
    // It would grow by no more than this, and be copied each time.
    if rows.capacity - rows.count < count { rows.reserveCapacity(max(2 * rows.capacity, rows.count + count)) }
    rows.append(addingCapacity: count, initializingWith: body)
  }

  /// Appends the values of the rows that were written last: none where values are coded.
  mutating func append(values: [Double]) { self.values += values }

  /// The rows by bucket, in arrays without spare room: there will be many parts.
  mutating func finish() -> InteractionPart {
    var part = InteractionPart()
    let extent: RowPacking.Extent
    (extent, part.starts) = measured()
    part.newest = extent.newest
    let packing = RowPacking(extent, times: rows.lazy.map(\.at))
    part.packing = packing
    precondition(values.count == (isCoded ? 0 : rows.count), "each row has a value")
    part.rows = column(of: rows, part.starts) { [buckets] row in
      packing.packed(
        at: row.at, candidate: row.candidate, place: buckets.place(of: row.user), code: row.code)
    }
    // Rare, each of them: a pass of its own costs nothing where there is none.
    if !packing.tellsTimes { part.times = column(of: rows, part.starts, \.at) }
    if !isCoded { part.values = column(of: values, part.starts) { $0 } }
    if keepsItems { part.items = column(of: rows, part.starts, \.item) }
    if keepsOrder { part.order = order(part.starts) }
    spares.giveBack(&rows)
    return part
  }

  /// What rows have between them, and where each bucket begins.
  private func measured() -> (RowPacking.Extent, starts: [UInt32]) {
    var extent = RowPacking.Extent()
    var starts = [UInt32](repeating: 0, count: buckets.count + 1)
    // Spans here and below, as a look at who else has an array, for each row, takes longer than all else.
    var counts = starts.mutableSpan
    let rows = rows.span
    for index in rows.indices {
      let row = rows[index]
      counts[buckets.bucket(of: row.user) + 1] += 1
      extent.add(
        at: row.at, candidate: row.candidate, place: buckets.place(of: row.user), code: row.code)
    }
    for bucket in 0..<buckets.count { counts[bucket + 1] += counts[bucket] }
    return (extent, starts)
  }

  /// What `element` makes of what there is for each row, by bucket and in input order.
  @inline(__always)
  private func column<Source: BitwiseCopyable, Element: BitwiseCopyable>(
    of sources: [Source], _ starts: [UInt32], _ element: (Source) -> Element
  ) -> [Element] {
    Array(setting: rows.count) { column in
      var starts = starts
      var next = starts.mutableSpan
      let (rows, sources) = (rows.span, sources.span)
      for index in rows.indices {
        let bucket = buckets.bucket(of: rows[index].user)
        column[Int(next[bucket])] = element(sources[index])
        next[bucket] += 1
      }
    }
  }

  /// By place in input order, the index by bucket.
  private func order(_ starts: [UInt32]) -> [UInt32] {
    var next = starts
    return rows.map { row in
      let bucket = buckets.bucket(of: row.user)
      defer { next[bucket] += 1 }
      return next[bucket]
    }
  }
}
