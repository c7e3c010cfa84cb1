/// Packs rows that were read together into eight bytes each. The time, the candidate, the user's index in the
/// bucket and the value's code get only as many bits as these rows need.
///
/// For example, a million candidates, 4096 users in a bucket and two values take 33 bits. The remaining 31
/// bits can represent 24 days in milliseconds, or 68 years if all times are whole seconds apart.
struct RowPacking: BitwiseCopyable {
  /// The ranges of the rows' values.
  struct Extent: BitwiseCopyable {
    /// The range of times in milliseconds since 1970 UTC. Without rows, `oldest` is greater than `newest`.
    var oldest = Int64.max
    var newest = Int64.min
    /// The bits that are set in at least one row.
    var candidate: UInt32 = 0
    var place: UInt16 = 0
    var code: UInt8 = 0
    /// Whether a row has digits finer than a millisecond. They are never packed.
    var hasFiner = false

    @inline(__always)
    mutating func add(at: Int64, candidate: UInt32, place: UInt16, code: UInt8) {
      oldest = min(oldest, at)
      newest = max(newest, at)
      self.candidate |= candidate
      self.place |= place
      self.code |= code
    }
  }

  /// Whether the times fit into the packed rows; if not, the caller stores the times separately.
  let hasTimes: Bool
  /// The oldest time in milliseconds since 1970 UTC.
  private let oldest: Int64
  /// The resolution of packed times in milliseconds.
  private let unit: Int64
  // The bit widths of the values: at most 32, 16 and 8, so shifts need no range checks. The time gets the
  // remaining bits at the top.
  private let candidateBits: UInt64
  private let placeBits: UInt64
  private let codeBits: UInt64
  // The shifts of the candidate and of the time.
  private let belowCandidate: UInt64
  private let belowTime: UInt64
  // Masks for the bits of each value.
  private let candidates: UInt64
  private let places: UInt64
  private let codes: UInt64

  /// - Parameters:
  ///   - extent: The ranges of all rows.
  ///   - times: The times of all rows, in any order. If one time does not fit, no time is packed.
  init(_ extent: Extent, times: some Sequence<Int64>) {
    candidateBits = Self.bits(UInt64(extent.candidate))
    placeBits = Self.bits(UInt64(extent.place))
    codeBits = Self.bits(UInt64(extent.code))
    belowCandidate = codeBits + placeBits
    belowTime = belowCandidate + candidateBits
    candidates = ~(.max << candidateBits)
    places = ~(.max << placeBits)
    codes = ~(.max << codeBits)
    let limit = UInt64.max >> belowTime
    oldest = extent.oldest
    // The subtraction may wrap, but the difference of any two times is exact as an unsigned number.
    let length = extent.newest < extent.oldest ? 0 : UInt64(bitPattern: extent.newest &- extent.oldest)
    let oldest = oldest
    if length <= limit {
      unit = 1
    } else if length / 1000 <= limit, times.allSatisfy({ UInt64(bitPattern: $0 &- oldest) % 1000 == 0 }) {
      unit = 1000
    } else {
      unit = 0
    }
    hasTimes = unit > 0
  }

  /// Returns the number of bits that a number needs if all its set bits are also set in `any`.
  private static func bits(_ any: UInt64) -> UInt64 { UInt64(64 - any.leadingZeroBitCount) }

  @inline(__always)
  func packed(at: Int64, candidate: UInt32, place: UInt16, code: UInt8) -> UInt64 {
    let distance = UInt64(truncatingIfNeeded: at &- oldest)
    let time = unit == 1 ? distance : hasTimes ? distance / 1000 : 0
    let row = (time &<< candidateBits | UInt64(candidate)) &<< placeBits | UInt64(place)
    return row &<< codeBits | UInt64(code)
  }

  @inline(__always)
  func code(_ word: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word & codes) }

  @inline(__always)
  func place(_ word: UInt64) -> UInt16 {
    UInt16(truncatingIfNeeded: word &>> codeBits & places)
  }

  @inline(__always)
  func candidate(_ word: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: word &>> belowCandidate & candidates)
  }

  /// Returns the time in milliseconds since 1970 UTC; undefined if `hasTimes` is false.
  @inline(__always)
  func time(_ word: UInt64) -> Int64 {
    oldest &+ unit &* Int64(truncatingIfNeeded: word &>> belowTime)
  }
}
