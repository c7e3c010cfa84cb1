/// Ids that are numbers, maybe behind a prefix that all share, and take up a good part of the numbers between the least and
/// the greatest: as databases give them. They are found by their number in a column, which has a place of four bytes for
/// each, needs no second look and mostly stays in a processor's cache; where no number is missing, without it.
///
/// All have the same number of bytes, eight at most; those behind what all share are digits.
struct DenseIdentities: Sendable {
  private let length: Int
  /// How many bits of a word are not those of an id.
  private let rest: UInt64
  /// The shared bytes, then the digit 0: what differs from an id of this form by no more than 9 in each byte is one too.
  private let zero: UInt64
  private let least: Int
  /// How many numbers there are from the least to the greatest.
  private let numbers: Int
  /// By number from the least one on: the rank, or `IdentitySlots.empty`. Without elements where each number is that of an id,
  /// and so the rank is the place.
  private let ranks: SharedColumn<UInt32>

  /// Room for so many numbers per id, which is what slots of a hash table take.
  private static let spread = 4
  /// The place of what is none of the ids.
  static let nowhere = -1

  /// Nothing where the ids are not of this form, or too far apart.
  ///
  /// - Parameters:
  ///   - bytes: Different ids in the order of their bytes, one behind the other.
  ///   - ends: Where each ends, behind a 0.
  init?(_ bytes: Span<UInt8>, ends: Span<Int>) {
    let count = ends.count - 1
    guard count > 0, (1...IdentityKey.wholeLength).contains(ends[1]) else { return nil }
    let length = ends[1]
    for end in 0..<ends.count where ends[end] != end * length { return nil }
    func key(_ rank: Int) -> IdentityKey {
      IdentityKey(bytes.extracting(rank * length..<(rank + 1) * length))
    }
    // What the first and the last share, those between them share too.
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
      // A whole word where there is one: what is behind the id does not count.
      let start = rank * length
      let word =
        start + 8 <= raw.byteCount
        ? unsafe raw.unsafeLoadUnaligned(fromByteOffset: start, as: UInt64.self).littleEndian : key(rank).word
      // Between the least and the greatest, as the order of bytes is that of the numbers.
      guard let number = Self.number(word, zero, rest) else { return nil }
      if numbers > count { ranks[number - least] = UInt32(rank) }
    }
  }

  /// Whether the rank of an id is its place.
  var isComplete: Bool { ranks.count == 0 }

  /// Where `ranks` has the id with this key, or would have it; `nowhere` where there is no such id.
  @inline(__always)
  func place(of key: IdentityKey) -> Int {
    key.length == length ? place(key.word) : Self.nowhere
  }

  /// The same of the id at `range` of `padded`, behind which there are eight bytes more.
  @inline(__always)
  func place(of range: Range<Int>, in padded: RawSpan) -> Int {
    guard range.upperBound &- range.lowerBound == length else { return Self.nowhere }
    // The load checks its bounds; it is "unsafe" because not every type may be loaded from any bytes.
    return place(
      unsafe padded.unsafeLoadUnaligned(fromByteOffset: range.lowerBound, as: UInt64.self).littleEndian)
  }

  @inline(__always)
  private func place(_ word: UInt64) -> Int {
    guard let number = Self.number(word, zero, rest) else { return Self.nowhere }
    // At most eight digits each: nothing overflows, and what is below 0 is a huge number without a sign.
    let place = number &- least
    return UInt(bitPattern: place) < UInt(bitPattern: numbers) ? place : Self.nowhere
  }

  var prefetch: Prefetch<UInt32> { ranks.prefetch }

  /// The ranks by place: for many searches in a row, take them once.
  var span: Span<UInt32> {
    @_lifetime(borrow self)
    get { ranks.span }
  }

  /// The number behind what all ids share; `nil` where the word is of another form.
  ///
  /// Source: Lemire 2022, "Quickly parsing eight digits": neighbours are joined to numbers of two, four and eight digits.
  ///
  /// - Parameters:
  ///   - word: As many bytes as ids have, the first the lowest, and whatever behind them.
  ///   - zero: The shared bytes, then the digit 0.
  ///   - rest: How many bits are behind them.
  /// - Returns: The number.
  @inline(__always)
  private static func number(_ word: UInt64, _ zero: UInt64, _ rest: UInt64) -> Int? {
    // Missing bytes come before the first, as zeros.
    let digits = (word ^ zero) &<< rest
    // What is above 9 in any byte carries into its highest bit, or has it.
    guard (digits | (digits &+ 0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080 == 0 else { return nil }
    let pairs = digits &* 10 &+ digits &>> 8
    let high = (pairs & 0x0000_00FF_0000_00FF) &* 0x000F_4240_0000_0064
    let low = (pairs &>> 16 & 0x0000_00FF_0000_00FF) &* 0x0000_2710_0000_0001
    return Int(truncatingIfNeeded: (high &+ low) &>> 32)
  }
}
