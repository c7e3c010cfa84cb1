internal import Reproducible
internal import Tables

/// Ids in the order in which they were met, found by their bytes without an allocation.
struct IdentityTable: Sendable {
  /// All ids, one behind the other.
  private(set) var bytes: [UInt8] = []
  private var ends: [Int] = [0]
  /// Open addressing with linear probing; `empty` marks a free slot. A power of two, at most half full.
  private var slots: [UInt32] = Array(repeating: Self.empty, count: 1024)
  private static let empty = UInt32.max

  var count: Int { ends.count - 1 }

  subscript(_ number: Int) -> [UInt8] { Array(bytes[range(number)]) }

  /// All ids, in the order of their numbers.
  var all: [[UInt8]] { (0..<count).map { self[$0] } }

  /// Where the id with this number lies in `bytes`.
  func range(_ number: Int) -> Range<Int> { ends[number]..<ends[number + 1] }

  /// Whether the id with one number comes before that with another, in the order of bytes.
  func precedes(_ left: Int, _ right: Int) -> Bool {
    ByteOrder.precedes(bytes.span.extracting(range(left)), bytes.span.extracting(range(right)))
  }

  /// The number of `id`, or `nil` where it was never inserted.
  func number(of id: Span<UInt8>) -> Int? {
    let slot = slots[slot(of: id)]
    return slot == Self.empty ? nil : Int(slot)
  }

  /// The number of `id`, which is new if it was not met before.
  mutating func insert(_ id: Span<UInt8>) -> Int {
    let slot = slot(of: id)
    guard slots[slot] == Self.empty else { return Int(slots[slot]) }
    let number = count
    precondition(number < Int(UInt32.max), "more than \(UInt32.max) different ids")
    slots[slot] = UInt32(number)
    for index in id.indices { bytes.append(id[index]) }
    ends.append(bytes.count)
    if 2 * count > slots.count { grow() }
    return number
  }

  /// Where `id` is, or where it belongs.
  private func slot(of id: Span<UInt8>) -> Int {
    let mask = slots.count - 1
    var slot = Int(truncatingIfNeeded: Mix64.finalized(Mix64.hash(id))) & mask
    while slots[slot] != Self.empty {
      let number = Int(slots[slot])
      if ByteOrder.equal(bytes.span.extracting(ends[number]..<ends[number + 1]), id) { return slot }
      slot = (slot + 1) & mask
    }
    return slot
  }

  private mutating func grow() {
    slots = Array(repeating: Self.empty, count: 2 * slots.count)
    for number in 0..<count {
      let id = self[number]
      slots[slot(of: id.span)] = UInt32(number)
    }
  }
}
