internal import CPrefetch

/// The slots of a hash table of ids. The table uses open addressing with linear probing and 16 bytes per
/// slot, so a search usually touches one cache line.
///
/// The caller stores the bytes of ids that are longer than a key's word.
struct IdentitySlots: Sendable {
  struct Slot: BitwiseCopyable {
    var key: UInt64 = 0
    var number = IdentitySlots.empty
    var length: UInt32 = 0
  }

  /// The number of slots is a power of two, and at most three quarters are in use. The slots are copied on
  /// write: shared slots are never modified.
  private var slots: SharedColumn<Slot>
  private var count = 0
  static let empty = UInt32.max

  /// - Parameter count: The number of ids for which slots are reserved.
  init(count: Int = 0) {
    var capacity = 1024
    while 3 * capacity < 4 * (count + 1) { capacity *= 2 }
    slots = Self.free(capacity)
  }

  private static func free(_ count: Int) -> SharedColumn<Slot> {
    let slots = SharedColumn<Slot>(count: count)
    for index in 0..<count { slots[index] = Slot() }
    return slots
  }

  /// Returns the slot where a search for `key` starts; valid until the table grows.
  @inline(__always)
  func start(_ key: IdentityKey) -> Int { Int(truncatingIfNeeded: key.hash) & (slots.count - 1) }

  /// Prefetches the slots that a search will read; valid until the table grows.
  struct Hint: Sendable {
    fileprivate let mask: Int
    fileprivate let prefetch: Prefetch<Slot>

    /// Prefetches the first slot of the search for `key`, and returns its index.
    @inline(__always) @discardableResult
    func callAsFunction(_ key: IdentityKey) -> Int {
      let start = Int(truncatingIfNeeded: key.hash) & mask
      prefetch(start)
      return start
    }
  }

  var prefetch: Hint { Hint(mask: slots.count - 1, prefetch: slots.prefetch) }

  /// All slots. Obtain the span once for many lookups.
  var span: Span<Slot> {
    @_lifetime(borrow self)
    get { slots.span }
  }

  /// Finds the slot that contains `key`, or the free slot where it belongs.
  ///
  /// - Parameters:
  ///   - key: The key to find.
  ///   - start: The slot where its search starts.
  ///   - slots: All slots of a table.
  ///   - isSame: Returns whether the long id with this number equals the id to find. It is called only if the
  ///     keys are equal.
  /// - Returns: The slot's index in `slots`.
  @inline(__always)
  static func slot(
    of key: IdentityKey, from start: Int, in slots: Span<Slot>, _ isSame: (_ number: UInt32) -> Bool
  ) -> Int {
    let mask = slots.count - 1
    var index = start
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

  /// Stores `key` in a free slot. The table may grow, which moves slots.
  mutating func fill(_ slot: Int, _ key: IdentityKey, _ number: UInt32) {
    if !isKnownUniquelyReferenced(&slots) { copy(to: slots.count) }
    slots[slot] = Slot(key: key.word, number: number, length: key.length)
    count += 1
    if 4 * count > 3 * slots.count { copy(to: 2 * slots.count) }
  }

  /// Copies all entries to a new table of `capacity` slots, a power of two.
  private mutating func copy(to capacity: Int) {
    let old = slots
    slots = Self.free(capacity)
    for place in 0..<old.count where old[place].number != Self.empty {
      let slot = old[place]
      var index = start(IdentityKey(word: slot.key, length: slot.length))
      while slots[index].number != Self.empty { index = (index + 1) & (capacity - 1) }
      slots[index] = slot
    }
  }

  /// Replaces each number in the slots with its new number.
  mutating func renumber(_ new: [UInt32]) {
    if !isKnownUniquelyReferenced(&slots) { copy(to: slots.count) }
    for index in 0..<slots.count where slots[index].number != Self.empty {
      slots[index].number = new[Int(slots[index].number)]
    }
  }
}
