internal import Readers
internal import RunSchemas
internal import Text

/// Ids in the order of their bytes: a rank is the place of an id among them. Nothing changes any more, so that any
/// number of threads look up ids without a lock.
final class RankedIdentities: Sendable {
  /// All ids in order, one behind the other.
  let bytes: [UInt8]
  /// Where each of them ends there, behind a 0.
  let ends: [Int]
  /// Where ids are looked up: `dense` if there is one, else `slots`.
  private let dense: DenseIdentities?
  private let slots: IdentitySlots
  /// By rank: the number of the id in the order in which ids were met; and the other way round.
  let numbers: [UInt32]
  let ranks: [UInt32]

  var count: Int { numbers.count }

  /// Nobody.
  convenience init() { self.init(inOrder: [], ends: [0]) { IdentitySlots() } }

  /// - Parameters:
  ///   - bytes: Different ids in the order of their bytes, one behind the other.
  ///   - ends: Where each ends, behind a 0.
  ///   - slots: Makes what each is found in, if there is no better way.
  init(inOrder bytes: [UInt8], ends: [Int], slots: () -> IdentitySlots) {
    numbers = (0..<UInt32(ends.count - 1)).map(\.self)
    ranks = numbers
    dense = DenseIdentities(bytes.span, ends: ends.span)
    (self.bytes, self.ends, self.slots) = (bytes, ends, dense == nil ? slots() : IdentitySlots())
  }

  /// - Parameters:
  ///   - bytes: Different ids in any order, one behind the other.
  ///   - ends: Where each ends, behind a 0.
  ///   - slots: Where each is found, by its place in that order.
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

  /// Where the id with this rank lies in `bytes`.
  func range(_ rank: Int) -> Range<Int> { ends[rank]..<ends[rank + 1] }

  /// The id with this number in the order in which ids were met.
  func id(number: Int) -> [UInt8] { Array(bytes[range(Int(ranks[number]))]) }

  /// Begins searches: see `search`.
  struct Search: Sendable {
    fileprivate let dense: DenseIdentities?
    fileprivate let ranks: Prefetch<UInt32>?
    fileprivate let slots: IdentitySlots.Hint

    /// Where a search for `key` begins, which is fetched; `rank` goes on from there.
    @inline(__always)
    func callAsFunction(_ key: IdentityKey) -> Int {
      guard let dense else { return slots(key) }
      return fetched(dense.place(of: key))
    }

    /// The same of the id at `range` of `padded`, behind which there are eight bytes more.
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

  /// What begins many searches, the first half of each: so that many wait for memory together.
  var search: Search {
    Search(dense: dense, ranks: dense?.isComplete == true ? nil : dense?.prefetch, slots: slots.prefetch)
  }

  /// What ids are looked up in, without references that would be counted.
  struct Table: ~Escapable {
    fileprivate let isDense: Bool
    /// By place; without elements where the rank is the place.
    fileprivate let ranks: Span<UInt32>
    fileprivate let slots: Span<IdentitySlots.Slot>

    @_lifetime(copy ranks, copy slots)
    fileprivate init(isDense: Bool, ranks: Span<UInt32>, slots: Span<IdentitySlots.Slot>) {
      self.isDense = isDense
      self.ranks = ranks
      self.slots = slots
    }

    /// That of an id which was searched for in `DenseIdentities`.
    @inline(__always)
    fileprivate func rank(at place: Int) -> UInt32 {
      if place == DenseIdentities.nowhere { return IdentitySlots.empty }
      return ranks.isEmpty ? UInt32(truncatingIfNeeded: place) : ranks[place]
    }
  }

  /// Calls `body` with what `rank` needs.
  func withTable<Result>(_ body: (borrowing Table) -> Result) -> Result {
    let (dense, slots) = (dense, slots)
    guard let dense else { return body(Table(isDense: false, ranks: Span(), slots: slots.span)) }
    return body(Table(isDense: true, ranks: dense.span, slots: slots.span))
  }

  /// The rank of the id whose key is `key`; `IdentitySlots.empty` where there is no such id.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - place: Where its search begins.
  ///   - table: That of these ids.
  ///   - start: Where the id begins in `texts`, if it is longer than a key.
  ///   - texts: The bytes of long ids.
  /// - Returns: A rank.
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

  /// The same of the id at `range` of `rows`.
  @inline(__always)
  func rank(
    at range: @autoclosure () -> Range<Int>, of rows: borrowing OrdinaryRows, from place: Int,
    in table: borrowing Table
  ) -> UInt32 {
    if table.isDense { return table.rank(at: place) }
    // Its key again, as to keep it would take more.
    let range = range()
    return rank(
      of: IdentityKey(range, in: rows.bytes), from: place, in: table, range.lowerBound, of: rows.text)
  }
}
