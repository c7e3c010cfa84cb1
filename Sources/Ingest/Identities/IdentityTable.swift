internal import Columns
internal import RunSchemas
internal import Text

/// Numbers ids in the order of their first occurrence, and finds them by their bytes without an allocation.
///
/// While ids arrive in strictly ascending byte order, as in many exports, each id is new, so `insert` needs
/// no hash table.
package struct IdentityTable: Sendable {
  /// All ids, concatenated.
  private(set) var bytes: [UInt8] = []
  private(set) var ends: [Int] = [0]
  /// Whether all ids arrived in strictly ascending byte order. If so, `slots` is empty.
  private var isInOrder = true
  private var slots = IdentitySlots()
  /// The key of the last id.
  private var lastKey = IdentityKey(word: 0, length: 0)

  var count: Int { ends.count - 1 }

  package init() {}

  package subscript(_ number: Int) -> [UInt8] { Array(bytes[range(number)]) }

  /// All ids, in the order of their numbers.
  var all: [[UInt8]] { (0..<count).map { self[$0] } }

  /// Returns the range in `bytes` of the id with this number.
  func range(_ number: Int) -> Range<Int> { ends[number]..<ends[number + 1] }

  /// Returns the number of `id`; `nil` if it was never inserted.
  func number(of id: Span<UInt8>) -> Int? {
    if isInOrder { return numberInOrder(of: id) }
    let number = slots[slot(of: id, IdentityKey(id))]
    return number == IdentitySlots.empty ? nil : Int(number)
  }

  /// Returns the number of `id`. A new id gets the next number.
  package mutating func insert(_ id: Span<UInt8>) -> Int { insert(id, IdentityKey(id)) }

  /// Returns the number of an id whose key is already computed.
  mutating func insert(_ id: Span<UInt8>, _ key: IdentityKey) -> Int {
    if isInOrder {
      if isBehindLast(id, key) { return append(id, key) }
      slots = filledSlots()
      isInOrder = false
    }
    let slot = slot(of: id, key)
    guard slots[slot] == IdentitySlots.empty else { return Int(slots[slot]) }
    let number = append(id, key)
    slots.fill(slot, key, UInt32(number))
    return number
  }

  /// Reserves memory for `count` ids with `bytes` bytes in total.
  mutating func reserve(_ count: Int, bytes: Int) {
    ends.reserveCapacity(count + 1)
    self.bytes.reserveCapacity(bytes)
  }

  /// Prefetches the memory that `insert` will read.
  var prefetch: IdentitySlots.Hint { slots.prefetch }

  private mutating func append(_ id: Span<UInt8>, _ key: IdentityKey) -> Int {
    let number = count
    precondition(number < Int(UInt32.max), "more than \(UInt32.max) different ids")
    unsafe id.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    ends.append(bytes.count)
    lastKey = key
    return number
  }

  /// Returns whether `id` is greater than all stored ids, which are in byte order.
  private func isBehindLast(_ id: Span<UInt8>, _ key: IdentityKey) -> Bool {
    if count == 0 { return true }
    guard max(key.length, lastKey.length) <= IdentityKey.wholeLength else {
      return ByteOrder.precedes(bytes.span.extracting(range(count - 1)), id)
    }
    // Byte-swapped words compare the first byte first. Missing bytes are 0. If the words are equal, the
    // longer id ends with zero bytes, so the length decides.
    let (last, next) = (lastKey.word.byteSwapped, key.word.byteSwapped)
    return last != next ? last < next : lastKey.length < key.length
  }

  private func numberInOrder(of id: Span<UInt8>) -> Int? {
    let number = (0..<count).partitioningIndex { !ByteOrder.precedes(bytes.span.extracting(range($0)), id) }
    return number < count && ByteOrder.equal(bytes.span.extracting(range(number)), id) ? number : nil
  }

  /// Builds the slots of all ids, which are in byte order.
  private func filledSlots() -> IdentitySlots {
    var slots = IdentitySlots(count: count)
    for number in 0..<count {
      let key = IdentityKey(bytes.span.extracting(range(number)))
      // The ids are distinct, so the comparison is always false.
      let slot = IdentitySlots.slot(of: key, from: slots.start(key), in: slots.span) { _ in false }
      slots.fill(slot, key, UInt32(number))
    }
    return slots
  }

  private func slot(of id: Span<UInt8>, _ key: IdentityKey) -> Int {
    IdentitySlots.slot(of: key, from: slots.start(key), in: slots.span) { number in
      ByteOrder.equal(bytes.span.extracting(range(Int(number))), id)
    }
  }

  /// Returns the ids in byte order, with their lookup structure and the number of each id.
  consuming func ranked() -> RankedIdentities {
    if !isInOrder { return RankedIdentities(bytes: bytes, ends: ends, slots: slots) }
    let table = self
    return RankedIdentities(inOrder: bytes, ends: ends) { table.filledSlots() }
  }
}
