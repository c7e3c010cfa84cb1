internal import Tables

/// Ids in the order in which they were met, found by their bytes without an allocation.
struct IdentityTable: Sendable {
  /// All ids, one behind the other.
  private(set) var bytes: [UInt8] = []
  private(set) var ends: [Int] = [0]
  private var slots = IdentitySlots()

  var count: Int { ends.count - 1 }

  subscript(_ number: Int) -> [UInt8] { Array(bytes[range(number)]) }

  /// All ids, in the order of their numbers.
  var all: [[UInt8]] { (0..<count).map { self[$0] } }

  /// Where the id with this number lies in `bytes`.
  func range(_ number: Int) -> Range<Int> { ends[number]..<ends[number + 1] }

  /// The number of `id`, or `nil` where it was never inserted.
  func number(of id: Span<UInt8>) -> Int? {
    let number = slots[slot(of: id, IdentityKey(id))]
    return number == IdentitySlots.empty ? nil : Int(number)
  }

  /// The number of `id`, which is new if it was not met before.
  mutating func insert(_ id: Span<UInt8>) -> Int { insert(id, IdentityKey(id)) }

  /// The same with the key of `id`.
  mutating func insert(_ id: Span<UInt8>, _ key: IdentityKey) -> Int {
    let slot = slot(of: id, key)
    guard slots[slot] == IdentitySlots.empty else { return Int(slots[slot]) }
    let number = count
    precondition(number < Int(UInt32.max), "more than \(UInt32.max) different ids")
    unsafe id.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    ends.append(bytes.count)
    slots.fill(slot, key, UInt32(number))
    return number
  }

  /// Fetches what `insert` will look at.
  var prefetch: IdentitySlots.Hint { slots.prefetch }

  private func slot(of id: Span<UInt8>, _ key: IdentityKey) -> Int {
    IdentitySlots.slot(of: key, from: slots.start(key), in: slots.span) { number in
      ByteOrder.equal(bytes.span.extracting(range(Int(number))), id)
    }
  }

  /// The ids in the order of their bytes, looked up there, and the order: by rank, the number of the id.
  consuming func ranked() -> RankedIdentities {
    RankedIdentities(bytes: bytes, ends: ends, slots: slots)
  }
}
