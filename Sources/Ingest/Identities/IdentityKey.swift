internal import Concurrency

/// The lookup key of an id: its length, and its bytes if they fit into a word, otherwise their hash.
///
/// Two ids of at most eight bytes are equal if their keys are equal. Longer ids also need a comparison of
/// their bytes.
struct IdentityKey: BitwiseCopyable, Hashable {
  var word: UInt64
  var length: UInt32

  /// The maximum number of bytes of an id that fits into `word` completely.
  static let wholeLength = 8

  /// - Parameter id: The bytes of the id, fewer than 2³².
  @inline(__always)
  init(_ id: Span<UInt8>) {
    length = UInt32(truncatingIfNeeded: id.count)
    let bytes = unsafe id.bytes
    word = id.count <= Self.wholeLength ? Self.packed(bytes) : Self.hash(bytes)
  }

  /// Creates the key of the id at `range` of `padded`, which has at least eight bytes after the id.
  @inline(__always)
  init(_ range: Range<Int>, in padded: RawSpan) {
    let count = range.upperBound &- range.lowerBound
    length = UInt32(truncatingIfNeeded: count)
    if count <= Self.wholeLength {
      // All eight bytes are loaded at once. The bytes that are not part of the id are then masked out.
      word = Self.word(padded, range.lowerBound) & (.max >> UInt64(64 - 8 * count))
    } else {
      word = Self.hash(padded.extracting(range))
    }
  }

  init(word: UInt64, length: UInt32) {
    self.word = word
    self.length = length
  }

  /// Creates the key of a single-digit id, 0 to 9.
  init(digit: UInt8) { self.init(word: UInt64(UInt8(ascii: "0") + digit), length: 1) }

  /// The hash of the key. Its low bits select a slot. The upper and the lower half of a product are combined,
  /// because the middle bits of the product depend on the whole key.
  ///
  /// Source of the factor: Steele and Vigna 2022, "Computationally easy, spectrally good multipliers",
  /// doi:10.1002/spe.3030.
  @inline(__always)
  var hash: UInt64 {
    let product = (word ^ UInt64(length) << 56).multipliedFullWidth(by: 0xF135_7AEA_2E62_A9C5)
    return product.high ^ product.low
  }

  /// The bytes of the id; `nil` if it is longer than a word.
  var bytes: [UInt8]? {
    length > Self.wholeLength
      ? nil : (0..<Int(length)).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
  }

  /// Returns the bytes as a word, with the first byte in the low bits. Missing bytes are 0.
  @inline(__always)
  private static func packed(_ bytes: RawSpan) -> UInt64 {
    let count = bytes.byteCount
    // The two loads may overlap. Both then put the shared bytes in the same places.
    if count == 8 { return word(bytes, 0) }
    if count >= 4 {
      return UInt64(half(bytes, 0)) | UInt64(half(bytes, count - 4)) << UInt64(8 * (count - 4))
    }
    var word: UInt64 = 0
    for index in 0..<count { word |= UInt64(byte(bytes, index)) << UInt64(8 * index) }
    return word
  }

  private static func hash(_ bytes: RawSpan) -> UInt64 {
    var hash: UInt64 = 0
    var index = 0
    while index + 8 < bytes.byteCount {
      hash = Mix64.finalized(hash ^ word(bytes, index))
      index += 8
    }
    // The last eight bytes may overlap the previous ones.
    return Mix64.finalized(hash ^ word(bytes, bytes.byteCount - 8))
  }

  // The loads check their bounds. They are marked unsafe because some types must not be loaded from
  // arbitrary bytes.
  @inline(__always)
  private static func word(_ bytes: RawSpan, _ index: Int) -> UInt64 {
    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
  }

  @inline(__always)
  private static func half(_ bytes: RawSpan, _ index: Int) -> UInt32 {
    unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt32.self).littleEndian
  }

  @inline(__always)
  private static func byte(_ bytes: RawSpan, _ index: Int) -> UInt8 {
    unsafe bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
  }
}
