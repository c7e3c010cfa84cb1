internal import CPrefetch

/// The slots of a hash table of ids: open addressing with linear probing, 16 bytes each, so that a search mostly costs one
/// cache line. The bytes of ids longer than a key's word are elsewhere, with whoever asks.
struct IdentitySlots: Sendable {
  private struct Slot: BitwiseCopyable {
    var key: UInt64
    var number: UInt32
    var length: UInt32
  }

  /// A power of two of them, at most three quarters of them taken.
  private var slots: [Slot]
  private var count = 0
  static let empty = UInt32.max

  init() { slots = Self.free(1024) }

  private static func free(_ count: Int) -> [Slot] {
    Array(repeating: Slot(key: 0, number: empty, length: 0), count: count)
  }

  /// Where a search for `key` begins, until the table grows.
  @inline(__always)
  func start(_ key: IdentityKey) -> Int { Int(truncatingIfNeeded: key.hash) & (slots.count - 1) }

  /// Fetches what a search for `key` will look at, so that others can be prepared meanwhile.
  @inline(__always)
  func prefetch(_ key: IdentityKey) {
    unsafe slots.withUnsafeBufferPointer { slots in
      // A start is always an index.
      if let base = slots.baseAddress { unsafe prefetch_line(base + start(key)) }
    }
  }

  /// The slot that holds `key`, or the free one where it belongs.
  ///
  /// - Parameter isSame: Whether the long id with this number and an equal key is the one that is searched.
  @inline(__always)
  func slot(of key: IdentityKey, _ isSame: (_ number: UInt32) -> Bool) -> Int {
    let mask = slots.count - 1
    var index = start(key)
    while true {
      let slot = slots[index]
      if slot.number == Self.empty { return index }
      if slot.key == key.word, slot.length == key.length,
        key.length <= IdentityKey.wholeLength || isSame(slot.number)
      {
        return index
      }
      index = (index + 1) & mask
    }
  }

  /// The number in a slot, or `empty`.
  @inline(__always)
  subscript(_ slot: Int) -> UInt32 { slots[slot].number }

  /// Gives a free slot to `key`. Slots may be others afterwards.
  mutating func fill(_ slot: Int, _ key: IdentityKey, _ number: UInt32) {
    slots[slot] = Slot(key: key.word, number: number, length: key.length)
    count += 1
    if 4 * count > 3 * slots.count { grow() }
  }

  private mutating func grow() {
    var larger = IdentitySlots(capacity: 2 * slots.count)
    for slot in slots where slot.number != Self.empty {
      larger.slots[larger.freeSlot(IdentityKey(word: slot.key, length: slot.length))] = slot
    }
    slots = larger.slots
  }

  private init(capacity: Int) {
    slots = Self.free(capacity)
    unsafe slots.withUnsafeMutableBytes { bytes in
      if let base = bytes.baseAddress, bytes.count >= 1 << 21 { unsafe prefer_huge_pages(base, bytes.count) }
    }
  }

  /// Where a key belongs that is not there, whatever others have the same hash.
  private func freeSlot(_ key: IdentityKey) -> Int {
    var index = start(key)
    while slots[index].number != Self.empty { index = (index + 1) & (slots.count - 1) }
    return index
  }

  /// Puts other numbers in the place of those given.
  mutating func renumber(_ new: [UInt32]) {
    for index in slots.indices where slots[index].number != Self.empty {
      slots[index].number = new[Int(slots[index].number)]
    }
  }
}

extension IdentityKey {
  init(word: UInt64, length: UInt32) {
    self.word = word
    self.length = length
  }
}
