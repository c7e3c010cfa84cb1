/// A radix sort, whose time is linear in the number of elements.
enum RadixSort {
  /// A code and its row.
  struct CodedRow: Sendable {
    var code: UInt64
    var row: UInt32
  }

  private static let digitBits = 11

  /// Sorts `entries` by their codes. The sort is stable.
  ///
  /// The passes start with the least significant digit. A digit that is the same in all codes is skipped,
  /// which saves passes, because snapped positions differ in few digits.
  ///
  /// Source: Knuth 1998, The Art of Computer Programming 3, section 5.2.5, algorithm R.
  ///
  /// - Complexity: O(n) for each of the at most six digits that differ. Needs memory for a second copy of the
  ///   entries.
  static func sort(_ entries: inout [CodedRow]) {
    guard let first = entries.first else { return }
    let differing = entries.reduce(0) { $0 | ($1.code ^ first.code) }
    var sorted: [CodedRow] = []
    for shift in stride(from: 0, to: 64, by: digitBits)
    where differing >> shift & (1 << digitBits - 1) != 0 {
      if sorted.isEmpty { sorted = entries }
      pass(entries, into: &sorted, shift: shift)
      swap(&entries, &sorted)
    }
  }

  private static func pass(_ entries: [CodedRow], into sorted: inout [CodedRow], shift: Int) {
    let mask: UInt64 = 1 << digitBits - 1
    var places = [Int](repeating: 0, count: 1 << digitBits + 1)
    for entry in entries { places[Int(entry.code >> shift & mask) + 1] += 1 }
    for digit in 0..<1 << digitBits { places[digit + 1] += places[digit] }
    for entry in entries {
      let digit = Int(entry.code >> shift & mask)
      sorted[places[digit]] = entry
      places[digit] += 1
    }
  }
}
