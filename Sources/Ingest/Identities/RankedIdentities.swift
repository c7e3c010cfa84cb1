internal import Readers
internal import RunSchemas
internal import Text

/// Immutable ids in byte order. The rank of an id is its index in that order. Any number of threads may look
/// up ids without a lock.
final class RankedIdentities: Sendable {
  /// All ids in order, concatenated.
  let bytes: [UInt8]
  /// The end of each id in `bytes`, after a leading 0.
  let ends: [Int]
  /// The lookup structure: `dense` if it exists, otherwise `slots`.
  private let dense: DenseIdentities?
  private let slots: IdentitySlots
  /// The number of each id, by rank. Ids are numbered in the order of first occurrence. `ranks` is the
  /// inverse.
  let numbers: [UInt32]
  let ranks: [UInt32]

  var count: Int { numbers.count }

  /// Creates an instance without ids.
  convenience init() { self.init(inOrder: [], ends: [0]) { IdentitySlots() } }

  /// - Parameters:
  ///   - bytes: Distinct ids in byte order, concatenated.
  ///   - ends: The end of each id, after a leading 0.
  ///   - slots: Makes the hash table. It is called only if `DenseIdentities` does not apply.
  init(inOrder bytes: [UInt8], ends: [Int], slots: () -> IdentitySlots) {
    numbers = (0..<UInt32(ends.count - 1)).map(\.self)
    ranks = numbers
    dense = DenseIdentities(bytes.span, ends: ends.span)
    (self.bytes, self.ends, self.slots) = (bytes, ends, dense == nil ? slots() : IdentitySlots())
  }

  /// - Parameters:
  ///   - bytes: Distinct ids in any order, concatenated.
  ///   - ends: The end of each id, after a leading 0.
  ///   - slots: The hash table, with the index of each id in the order of `bytes`.
  init(bytes: [UInt8], ends: [Int], slots: consuming IdentitySlots) {
    let order = ByteOrder.sorted(bytes.span, ends: ends.span)
    numbers = order
    var ranks = [UInt32](repeating: 0, count: order.count)
    for (rank, number) in order.enumerated() { ranks[Int(number)] = UInt32(rank) }
    self.ranks = ranks
    var sorted: [UInt8] = []
    sorted.reserveCapacity(bytes.count)
    var sortedEnds: [Int] = [0]
    sortedEnds.reserveCapacity(ends.count)
    for number in order {
      sorted.append(contentsOf: bytes[ends[Int(number)]..<ends[Int(number) + 1]])
      sortedEnds.append(sorted.count)
    }
    dense = DenseIdentities(sorted.span, ends: sortedEnds.span)
    var renumbered = dense == nil ? slots : IdentitySlots()
    renumbered.renumber(ranks)
    (self.bytes, self.ends, self.slots) = (sorted, sortedEnds, renumbered)
  }

  /// Returns the range in `bytes` of the id with this rank.
  func range(_ rank: Int) -> Range<Int> { ends[rank]..<ends[rank + 1] }

  /// Returns the id with this number in the order of first occurrence.
  func id(number: Int) -> [UInt8] { Array(bytes[range(Int(ranks[number]))]) }

  /// Starts searches; see `search`.
  struct Search: Sendable {
    fileprivate let dense: DenseIdentities?
    fileprivate let ranks: Prefetch<UInt32>?
    fileprivate let slots: IdentitySlots.Hint

    /// Prefetches the memory where the search for `key` starts. Returns the place to pass to `rank`.
    @inline(__always)
    func callAsFunction(_ key: IdentityKey) -> Int {
      guard let dense else { return slots(key) }
      return fetched(dense.place(of: key))
    }

    /// Prefetches the memory where the search for the id at `range` of `padded` starts. At least eight bytes
    /// must follow the id. Returns the place to pass to `rank`.
    @inline(__always)
    func callAsFunction(_ range: Range<Int>, in padded: RawSpan) -> Int {
      guard let dense else { return slots(IdentityKey(range, in: padded)) }
      return fetched(dense.place(of: range, in: padded))
    }

    @inline(__always)
    private func fetched(_ place: Int) -> Int {
      if let ranks, place != DenseIdentities.nowhere { ranks(place) }
      return place
    }
  }

  /// Starts searches. Callers start many searches before they finish the first, so that the memory accesses
  /// overlap.
  var search: Search {
    Search(dense: dense, ranks: dense?.isComplete == true ? nil : dense?.prefetch, slots: slots.prefetch)
  }

  /// The lookup structures as borrowed spans, so that lookups do not update reference counts.
  struct Table: ~Escapable {
    fileprivate let isDense: Bool
    /// The rank at each place; empty if each rank equals its place.
    fileprivate let ranks: Span<UInt32>
    fileprivate let slots: Span<IdentitySlots.Slot>

    @_lifetime(copy ranks, copy slots)
    fileprivate init(isDense: Bool, ranks: Span<UInt32>, slots: Span<IdentitySlots.Slot>) {
      self.isDense = isDense
      self.ranks = ranks
      self.slots = slots
    }

    /// Returns the rank of the id at `place`, the result of `DenseIdentities.place`.
    @inline(__always)
    fileprivate func rank(at place: Int) -> UInt32 {
      if place == DenseIdentities.nowhere { return IdentitySlots.empty }
      return ranks.isEmpty ? UInt32(truncatingIfNeeded: place) : ranks[place]
    }
  }

  /// Calls `body` with the table that `rank` needs.
  func withTable<Result>(_ body: (borrowing Table) -> Result) -> Result {
    let (dense, slots) = (dense, slots)
    guard let dense else { return body(Table(isDense: false, ranks: Span(), slots: slots.span)) }
    return body(Table(isDense: true, ranks: dense.span, slots: slots.span))
  }

  /// Finishes a search.
  ///
  /// - Parameters:
  ///   - key: The key of the id.
  ///   - place: The place where its search starts.
  ///   - table: The lookup structures of these ids.
  ///   - start: The start of the id in `texts`, if the id is longer than eight bytes.
  ///   - texts: The bytes of long ids.
  /// - Returns: The rank of the id; `IdentitySlots.empty` if it is unknown.
  @inline(__always)
  func rank(
    of key: IdentityKey, from place: Int, in table: borrowing Table, _ start: Int, of texts: Span<UInt8>
  ) -> UInt32 {
    if table.isDense { return table.rank(at: place) }
    let slot = IdentitySlots.slot(of: key, from: place, in: table.slots) { rank in
      let bytes = bytes
      let text = start..<start + Int(key.length)
      return ByteOrder.equal(bytes.span.extracting(range(Int(rank))), texts.extracting(text))
    }
    return table.slots[slot].number
  }

  /// Finishes the search for the id at `range` of `rows`.
  @inline(__always)
  func rank(
    at range: @autoclosure () -> Range<Int>, of rows: borrowing OrdinaryRows, from place: Int,
    in table: borrowing Table
  ) -> UInt32 {
    if table.isDense { return table.rank(at: place) }
    // The key is computed again, because storing it would take more time.
    let range = range()
    return rank(
      of: IdentityKey(range, in: rows.bytes), from: place, in: table, range.lowerBound, of: rows.text)
  }
}
