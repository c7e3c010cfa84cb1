/// Looks up numeric ids, which may share a prefix, directly by number.
///
/// The ids must cover at least a quarter of the range from the smallest to the largest number, as database
/// keys usually do. A column of four-byte ranks replaces a hash table. A lookup is one memory access and
/// mostly hits the CPU cache. If no number is missing, even this column is unnecessary.
///
/// All ids have the same length, at most eight bytes. The bytes after the shared prefix are digits.
struct DenseIdentities: Sendable {
  private let length: Int
  /// The number of bits in a word after the id's bytes.
  private let rest: UInt64
  /// The shared prefix, followed by the character `0` for each digit. A word has the form of these ids if the
  /// exclusive or of each byte and the corresponding byte of `zero` is at most 9.
  private let zero: UInt64
  private let least: Int
  /// The size of the range from the smallest to the largest number.
  private let numbers: Int
  /// The rank at each place, or `IdentitySlots.empty`. A place is an id's number minus the smallest number.
  /// If no number is missing, the column is empty, because each rank equals its place.
  private let ranks: SharedColumn<UInt32>

  /// The maximum size of the range per id. At this size, the table still takes less memory than the slots of
  /// a hash table.
  private static let spread = 4
  /// The place of a key that has another form or whose number is out of range.
  static let nowhere = -1

  /// Creates the table, or returns `nil` if the ids are too sparse or do not have the form described above.
  ///
  /// - Parameters:
  ///   - bytes: Distinct ids in byte order, concatenated.
  ///   - ends: The end of each id, after a leading 0.
  init?(_ bytes: Span<UInt8>, ends: Span<Int>) {
    let count = ends.count - 1
    guard count > 0, (1...IdentityKey.wholeLength).contains(ends[1]) else { return nil }
    let length = ends[1]
    for end in 0..<ends.count where ends[end] != end * length { return nil }
    func key(_ rank: Int) -> IdentityKey {
      IdentityKey(bytes.extracting(rank * length..<(rank + 1) * length))
    }
    // A prefix shared by the first and the last id is shared by all ids between them.
    let (first, last) = (key(0), key(count - 1))
    let shared = min((first.word ^ last.word).trailingZeroBitCount / 8, length - 1) * 8
    let all = UInt64.max >> UInt64(64 - 8 * length)
    zero = (first.word & ~(.max << UInt64(shared))) | (0x3030_3030_3030_3030 << UInt64(shared)) & all
    self.length = length
    rest = UInt64(64 - 8 * length)
    guard let least = Self.number(first.word, zero, rest), let greatest = Self.number(last.word, zero, rest),
      greatest >= least, greatest - least < Self.spread * count
    else { return nil }
    self.least = least
    numbers = greatest - least + 1
    ranks = SharedColumn(count: numbers == count ? 0 : numbers)
    for place in 0..<ranks.count { ranks[place] = IdentitySlots.empty }
    let raw = unsafe bytes.bytes
    for rank in 0..<count {
      // A whole word is read if possible. Bytes after the id are ignored.
      let start = rank * length
      let word =
        start + 8 <= raw.byteCount
        ? unsafe raw.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian : key(rank).word
      // Numeric order equals byte order here, so every other number is between the smallest and the largest.
      guard let number = Self.number(word, zero, rest) else { return nil }
      if numbers > count { ranks[number - least] = UInt32(rank) }
    }
  }

  /// Whether the rank of every id equals its place.
  var isComplete: Bool { ranks.count == 0 }

  /// Returns the place in `ranks` of the id with this key; `nowhere` if the key has another form or its
  /// number is out of range. The id need not exist.
  @inline(__always)
  func place(of key: IdentityKey) -> Int {
    key.length == length ? place(key.word) : Self.nowhere
  }

  /// Returns the place of the id at `range` of `padded`, which has at least eight bytes after the id.
  @inline(__always)
  func place(of range: Range<Int>, in padded: RawSpan) -> Int {
    guard range.upperBound &- range.lowerBound == length else { return Self.nowhere }
    // The load checks its bounds. It is marked unsafe because some types must not be loaded from
    // arbitrary bytes.
    return place(
      unsafe padded.unsafeLoadUnaligned(fromByteOffset: range.lowerBound, as: UInt64.self).littleEndian)
  }

  @inline(__always)
  private func place(_ word: UInt64) -> Int {
    guard let number = Self.number(word, zero, rest) else { return Self.nowhere }
    // Each number has at most eight digits, so the subtraction cannot overflow. A negative difference becomes
    // a huge unsigned number.
    let place = number &- least
    return UInt(bitPattern: place) < UInt(bitPattern: numbers) ? place : Self.nowhere
  }

  var prefetch: Prefetch<UInt32> { ranks.prefetch }

  /// The ranks by place. Obtain the span once for many lookups.
  var span: Span<UInt32> {
    @_lifetime(borrow self)
    get { ranks.span }
  }

  /// Parses the number after the shared prefix.
  ///
  /// Source: Lemire 2022, "Quickly parsing eight digits": adjacent digits are combined into numbers of two,
  /// four and eight digits.
  ///
  /// - Parameters:
  ///   - word: The bytes of the id, the first byte in the low bits, followed by any bytes.
  ///   - zero: The shared bytes, followed by the digits 0.
  ///   - rest: The number of bits after the bytes of the id.
  /// - Returns: The number, from 0 to 99,999,999; `nil` if the word has another form.
  @inline(__always)
  private static func number(_ word: UInt64, _ zero: UInt64, _ rest: UInt64) -> Int? {
    // Bytes after the id are shifted out, and zero bytes move in before the first byte.
    let digits = (word ^ zero) &<< rest
    // The highest bit of each byte above 9 is set either in `digits` or in the sum.
    guard (digits | (digits &+ 0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080 == 0 else { return nil }
    let pairs = digits &* 10 &+ digits &>> 8
    let high = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let low = (pairs &>> 16 & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return Int(truncatingIfNeeded: (high &+ low) &>> 32)
  }
}
