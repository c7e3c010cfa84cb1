/// A priority queue (binary heap) of nodes and blocks. The highest bound comes first. Among equal bounds, the
/// nearest entry comes first.
struct Frontier {
  struct FrontierEntry {
    /// The bound and the negated distance, packed into one number that compares like the pair.
    fileprivate let key: UInt64
    let reference: CandidateTree.Reference

    /// Packs the bound and the chord into the key.
    ///
    /// - Parameters:
    ///   - bound: An upper bound on the scores of all candidates below the entry; NaN counts as infinite.
    ///   - squaredChord: A lower bound on the squared chord to all candidates below the entry; not finite if
    ///     unknown.
    ///   - reference: The node or block.
    @inline(__always)
    init(bound: Float, squaredChord: Float, reference: CandidateTree.Reference) {
      let chord = squaredChord.isFinite ? squaredChord : .infinity
      key = UInt64((bound.isNaN ? .infinity : bound).orderedBits) << 32 | UInt64(~chord.bitPattern)
      self.reference = reference
    }

    var bound: Float { Float(orderedBits: UInt32(truncatingIfNeeded: key >> 32)) }

    /// A lower bound in kilometers on the distance to all candidates below the entry; infinite if unknown.
    var nearestInKilometers: Float {
      let chord = Float(bitPattern: ~UInt32(truncatingIfNeeded: key))
      return chord.isFinite ? ChordFloats.surelyLeastKilometers(squaredChord: chord) : .infinity
    }
  }

  private var entries: [FrontierEntry] = []
  /// Whether the first entry was popped and its slot is still free. Usually the popped entry is a node whose
  /// children are inserted next. The first child sinks from the free slot by a step or two, whereas the
  /// heap's last entry would sink to the bottom.
  private var isFirstTaken = false

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    isFirstTaken = false
  }

  mutating func insert(_ entry: FrontierEntry) {
    if isFirstTaken {
      isFirstTaken = false
      return sink(entry)
    }
    entries.append(entry)
    var heap = entries.mutableSpan
    var place = heap.count - 1
    while place > 0 {
      let parent = (place - 1) / 2
      guard entry.key > heap[parent].key else { break }
      heap[place] = heap[parent]
      place = parent
    }
    heap[place] = entry
  }

  mutating func popFirst() -> FrontierEntry? {
    if isFirstTaken {
      isFirstTaken = false
      let last = entries.removeLast()
      if !entries.isEmpty { sink(last) }
    }
    guard let first = entries.first else { return nil }
    isFirstTaken = true
    return first
  }

  /// Puts `entry` into the free first slot and sifts it down.
  private mutating func sink(_ entry: FrontierEntry) {
    var heap = entries.mutableSpan
    var place = 0
    while 2 * place + 1 < heap.count {
      var child = 2 * place + 1
      if child + 1 < heap.count { child += heap[child + 1].key > heap[child].key ? 1 : 0 }
      guard heap[child].key > entry.key else { break }
      heap[place] = heap[child]
      place = child
    }
    heap[place] = entry
  }
}
