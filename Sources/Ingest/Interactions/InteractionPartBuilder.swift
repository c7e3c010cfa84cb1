internal import Readers

/// An interaction as it was read. A value without a code is stored separately. An interaction takes 24 bytes,
/// so that a block of rows and the block's text fit in the CPU cache.
struct ReadInteraction: BitwiseCopyable {
  /// The time in milliseconds since 1970 UTC.
  let at: Int64
  /// The ranks of the ids. `item` is used only if a later step needs the items.
  var user: UInt32
  var candidate: UInt32
  var item: UInt32
  /// The code of the value.
  var code: UInt8
  // The nanoseconds within the millisecond. Split into two fields, they fit into padding and take no
  // additional memory.
  private let finerHigh: UInt8
  private let finerLow: UInt16

  @inline(__always)
  init(at: Moment, user: UInt32, candidate: UInt32, item: UInt32, code: UInt8) {
    self.at = at.milliseconds
    (self.user, self.candidate, self.item, self.code) = (user, candidate, item, code)
    finerHigh = UInt8(truncatingIfNeeded: at.finer >> 16)
    finerLow = UInt16(truncatingIfNeeded: at.finer)
  }

  /// The nanoseconds within the millisecond.
  @inline(__always)
  var finer: UInt32 { UInt32(finerHigh) << 16 | UInt32(finerLow) }
}

/// Collects the rows of one block, and groups them by the user's bucket at the end of the block.
struct InteractionPartBuilder {
  private let buckets: KeyBuckets
  /// Whether values are stored as codes.
  let isCoded: Bool
  private let keepsOrder: Bool
  private let keepsItems: Bool
  private let spares: SpareArrays<ReadInteraction>
  private var rows: [ReadInteraction]
  /// The values of `rows`; empty if the values are coded.
  private var values: [Double] = []

  /// - Parameters:
  ///   - buckets: The buckets of user ranks.
  ///   - isCoded: Whether values are stored as codes.
  ///   - keepsOrder: Whether a later step needs the input order.
  ///   - keepsItems: Whether a later step needs the item of each row. If true, `keepsOrder` must be true,
  ///     too.
  ///   - spares: A pool of arrays to reuse.
  init(
    _ buckets: KeyBuckets, isCoded: Bool, keepsOrder: Bool, keepsItems: Bool = false,
    spares: SpareArrays<ReadInteraction>
  ) {
    precondition(keepsOrder || !keepsItems, "rows with items must keep their order")
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

  /// Appends up to `count` rows, which `body` writes. The caller appends their values next.
  @inline(__always)
  mutating func append(upTo count: Int, _ body: (inout OutputSpan<ReadInteraction>) -> Void) {
    // The capacity is doubled, because `append` alone would reserve memory for exactly `count` elements and
    // copy the array each time.
    if rows.capacity - rows.count < count { rows.reserveCapacity(max(2 * rows.capacity, rows.count + count)) }
    rows.append(addingCapacity: count, initializingWith: body)
  }

  /// Appends the values of the rows that were appended last. `values` is empty if values are coded.
  mutating func append(values: [Double]) { self.values += values }

  /// Groups the rows by bucket. The arrays of the part have no spare capacity, because many parts are stored.
  mutating func finish() -> InteractionPart {
    var part = InteractionPart()
    let extent: RowPacking.Extent
    (extent, part.starts) = measured()
    part.newest = extent.newest
    let packing = RowPacking(extent, times: rows.lazy.map(\.at))
    part.packing = packing
    precondition(values.count == (isCoded ? 0 : rows.count), "the numbers of rows and values differ")
    part.rows = column(of: rows, part.starts) { [buckets] row in
      packing.packed(
        at: row.at, candidate: row.candidate, place: buckets.place(of: row.user), code: row.code)
    }
    // The following columns are rarely needed, so most exports need no extra pass.
    if !packing.hasTimes { part.times = column(of: rows, part.starts, \.at) }
    if !isCoded { part.values = column(of: values, part.starts) { $0 } }
    if keepsItems { part.items = column(of: rows, part.starts, \.item) }
    if extent.hasFiner { part.finer = column(of: rows, part.starts, \.finer) }
    if keepsOrder { part.order = order(part.starts) }
    spares.giveBack(&rows)
    return part
  }

  /// Returns the value ranges of the rows, and the start of each bucket.
  private func measured() -> (RowPacking.Extent, starts: [UInt32]) {
    var extent = RowPacking.Extent()
    var starts = [UInt32](repeating: 0, count: buckets.count + 1)
    // Here and below, spans avoid a uniqueness check of an array for each row. These checks would take most
    // of the time.
    var counts = starts.mutableSpan
    var finer: UInt32 = 0
    let rows = rows.span
    for index in rows.indices {
      let row = rows[index]
      counts[buckets.bucket(of: row.user) + 1] += 1
      extent.add(
        at: row.at, candidate: row.candidate, place: buckets.place(of: row.user), code: row.code)
      finer |= row.finer
    }
    extent.hasFiner = finer != 0
    for bucket in 0..<buckets.count { counts[bucket + 1] += counts[bucket] }
    return (extent, starts)
  }

  /// Returns the results of `element` for each row, grouped by bucket and otherwise in input order.
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

  /// Returns the index of each row in bucket order, by its index in input order.
  private func order(_ starts: [UInt32]) -> [UInt32] {
    var next = starts
    return rows.map { row in
      let bucket = buckets.bucket(of: row.user)
      defer { next[bucket] += 1 }
      return next[bucket]
    }
  }
}
