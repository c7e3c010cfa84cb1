internal import Text

extension ByteOrder {
  /// Sorts texts in ascending byte order. Equal texts keep their order.
  ///
  /// The ids of most exports are already sorted, and one pass detects this. Other texts are sorted by their
  /// first eight bytes as a number. Ties are sorted by the next eight bytes.
  ///
  /// - Parameters:
  ///   - bytes: The texts, concatenated.
  ///   - ends: The end of each text, after a leading 0. The number of texts is less than 2³².
  /// - Returns: The index of each text, by rank.
  /// - Complexity: O(n) if the texts are sorted or differ in their first bytes; otherwise O(n) for each
  ///   further eight bytes that many texts share.
  static func sorted(_ bytes: Span<UInt8>, ends: Span<Int>) -> [UInt32] {
    let count = ends.count - 1
    var places = (0..<UInt32(count)).map(\.self)
    guard count > 1 else { return places }
    func text(_ place: UInt32) -> Range<Int> { ends[Int(place)]..<ends[Int(place) + 1] }
    func precedes(_ left: UInt32, _ right: UInt32) -> Bool {
      ByteOrder.precedes(bytes.extracting(text(left)), bytes.extracting(text(right)))
    }
    if (1..<UInt32(count)).allSatisfy({ !precedes($0, $0 - 1) }) { return places }

    // Each part is a range of texts whose first `depth` bytes are equal. The texts must still be sorted by
    // the following bytes.
    var parts = [(range: 0..<count, depth: 0)]
    var keys = [UInt64](repeating: 0, count: count)
    while let (range, depth) = parts.popLast() {
      if range.count <= 24 {
        places[range].sort { precedes($0, $1) || (!precedes($1, $0) && $0 < $1) }
        continue
      }
      for index in range { keys[index] = prefix(bytes, text(places[index]), depth) }
      radixSort(&keys, &places, range)
      var start = range.lowerBound
      for index in range where index + 1 == range.upperBound || keys[index + 1] != keys[index] {
        let run = start..<index + 1
        start = index + 1
        guard run.count > 1 else { continue }
        if run.allSatisfy({ text(places[$0]).count >= depth + 8 }) {
          parts.append((run, depth + 8))
        } else {
          // At least one of these texts ends within the eight bytes. The key does not distinguish the end of
          // a text from zero bytes.
          places[run].sort { precedes($0, $1) || (!precedes($1, $0) && $0 < $1) }
        }
      }
    }
    return places
  }

  /// Returns the eight bytes of `text` from `depth` on, as a big-endian number. Missing bytes are 0.
  private static func prefix(_ bytes: Span<UInt8>, _ text: Range<Int>, _ depth: Int) -> UInt64 {
    let start = min(text.lowerBound + depth, text.upperBound)
    let count = min(text.upperBound - start, 8)
    if count == 8 {
      // The load checks its bounds. It is marked unsafe because some types must not be loaded from
      // arbitrary bytes.
      return unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self).bigEndian
    }
    var word: UInt64 = 0
    for index in 0..<count { word |= UInt64(bytes[start + index]) << UInt64(56 - 8 * index) }
    return word
  }

  /// Sorts `keys` within `range`, and `places` along with them. This radix sort starts at the least
  /// significant byte and skips bytes that are equal in all keys.
  private static func radixSort(_ keys: inout [UInt64], _ places: inout [UInt32], _ range: Range<Int>) {
    var differing: UInt64 = 0
    for index in range { differing |= keys[index] ^ keys[range.lowerBound] }
    var from = (keys: Array(keys[range]), places: Array(places[range]))
    var to = from
    for shift in stride(from: UInt64(0), to: 64, by: 8) where differing >> shift & 0xFF != 0 {
      var next = [Int](repeating: 0, count: 257)
      for key in from.keys { next[Int(key >> shift & 0xFF) + 1] += 1 }
      for byte in 0..<256 { next[byte + 1] += next[byte] }
      for index in from.keys.indices {
        let byte = Int(from.keys[index] >> shift & 0xFF)
        to.keys[next[byte]] = from.keys[index]
        to.places[next[byte]] = from.places[index]
        next[byte] += 1
      }
      swap(&from, &to)
    }
    keys.replaceSubrange(range, with: from.keys)
    places.replaceSubrange(range, with: from.places)
  }
}
