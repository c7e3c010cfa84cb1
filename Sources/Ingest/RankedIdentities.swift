internal import Tables

/// Ids in the order of their bytes: a rank is the place of an id among them. Nothing changes any more, so that any
/// number of threads look up ids without a lock.
final class RankedIdentities: Sendable {
  /// All ids in order, one behind the other.
  let bytes: [UInt8]
  private let ends: [Int]
  private let slots: IdentitySlots
  /// By rank: the number of the id in the order in which ids were met; and the other way round.
  let numbers: [UInt32]
  let ranks: [UInt32]

  var count: Int { numbers.count }

  /// Nobody.
  convenience init() { self.init(bytes: [], ends: [0], slots: IdentitySlots()) }

  /// - Parameters:
  ///   - bytes: Ids in any order, one behind the other.
  ///   - ends: Where each ends, behind a 0.
  ///   - slots: Where each is found, by its place in that order.
  init(bytes: [UInt8], ends: [Int], slots: consuming IdentitySlots) {
    let order = ByteOrder.sorted(bytes.span, ends: ends.span)
    numbers = order
    var ranks = [UInt32](repeating: 0, count: order.count)
    for (rank, number) in order.enumerated() { ranks[Int(number)] = UInt32(rank) }
    self.ranks = ranks
    if ranks.indices.allSatisfy({ ranks[$0] == $0 }) {
      (self.bytes, self.ends, self.slots) = (bytes, ends, slots)
      return
    }
    var sorted: [UInt8] = []
    sorted.reserveCapacity(bytes.count)
    var sortedEnds: [Int] = [0]
    sortedEnds.reserveCapacity(ends.count)
    for number in order {
      sorted.append(contentsOf: bytes[ends[Int(number)]..<ends[Int(number) + 1]])
      sortedEnds.append(sorted.count)
    }
    var renumbered = slots
    renumbered.renumber(ranks)
    (self.bytes, self.ends, self.slots) = (sorted, sortedEnds, renumbered)
  }

  /// Where the id with this rank lies in `bytes`.
  func range(_ rank: Int) -> Range<Int> { ends[rank]..<ends[rank + 1] }

  /// The id with this number in the order in which ids were met.
  func id(number: Int) -> [UInt8] { Array(bytes[range(Int(ranks[number]))]) }

  /// Fetches what a search for a key will look at.
  var prefetch: IdentitySlots.Hint { slots.prefetch }

  /// Calls `body` with the slots, for `rank`.
  func withSlots<Result>(_ body: (Span<IdentitySlots.Slot>) -> Result) -> Result {
    let slots = slots
    return body(slots.span)
  }

  /// The rank of the id whose key is `key`; `IdentitySlots.empty` where there is no such id.
  ///
  /// - Parameters:
  ///   - key: The key.
  ///   - slots: The slots of this table.
  ///   - start: Where the id begins in `texts`, if it is longer than a key.
  ///   - texts: The bytes of long ids.
  /// - Returns: A rank.
  @inline(__always)
  func rank(
    of key: IdentityKey, in slots: Span<IdentitySlots.Slot>, _ start: UInt32, of texts: Span<UInt8>
  ) -> UInt32 {
    let slot = IdentitySlots.slot(of: key, in: slots) { rank in
      let bytes = bytes
      let text = Int(start)..<Int(start) + Int(key.length)
      return ByteOrder.equal(bytes.span.extracting(range(Int(rank))), texts.extracting(text))
    }
    return slots[slot].number
  }
}
