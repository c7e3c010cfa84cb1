/// How rows that were read together are told in eight bytes each: the time, the candidate, the user's place in its bucket and
/// the value's code have as many bits as these rows need.
///
/// A million candidates, 4096 users of a bucket and two values take 33 bits, which leaves 31: for 24 days in milliseconds, or
/// for 68 years in seconds, where all times are whole seconds apart.
struct RowPacking: BitwiseCopyable {
  /// What rows have between them.
  struct Extent: BitwiseCopyable {
    /// Milliseconds since 1970 UTC; the other way round without a row.
    var oldest = Int64.max
    var newest = Int64.min
    /// Bits that are set in any row.
    var candidate: UInt32 = 0
    var place: UInt16 = 0
    var code: UInt8 = 0

    @inline(__always)
    mutating func add(at: Int64, candidate: UInt32, place: UInt16, code: UInt8) {
      oldest = min(oldest, at)
      newest = max(newest, at)
      self.candidate |= candidate
      self.place |= place
      self.code |= code
    }
  }

  /// Whether there is room for times; who packs has to keep them elsewhere if not.
  let tellsTimes: Bool
  /// Milliseconds since 1970 UTC.
  private let oldest: Int64
  /// Milliseconds.
  private let unit: Int64
  // How many bits each takes; the time has the rest, on top. At most 32, 16 and 8, so that no shift needs to be checked.
  private let candidateBits: UInt64
  private let placeBits: UInt64
  private let codeBits: UInt64
  // How many bits stand below the candidate's, and below the time's.
  private let belowCandidate: UInt64
  private let belowTime: UInt64
  // As many ones as there are bits.
  private let candidates: UInt64
  private let places: UInt64
  private let codes: UInt64

  /// - Parameters:
  ///   - extent: Of all rows.
  ///   - times: Those of all rows, in any order; all or none of them are told.
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
    // Right for any two times, as the difference is not negative.
    let length = extent.newest < extent.oldest ? 0 : UInt64(bitPattern: extent.newest &- extent.oldest)
    let oldest = oldest
    if length <= limit {
      unit = 1
    } else if length / 1000 <= limit, times.allSatisfy({ UInt64(bitPattern: $0 &- oldest) % 1000 == 0 }) {
      unit = 1000
    } else {
      unit = 0
    }
    tellsTimes = unit > 0
  }

  /// How many bits numbers take whose bits are all set in `any`.
  private static func bits(_ any: UInt64) -> UInt64 { UInt64(64 - any.leadingZeroBitCount) }

  @inline(__always)
  func packed(at: Int64, candidate: UInt32, place: UInt16, code: UInt8) -> UInt64 {
    let distance = UInt64(truncatingIfNeeded: at &- oldest)
    let time = unit == 1 ? distance : tellsTimes ? distance / 1000 : 0
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

  /// Milliseconds since 1970 UTC; whatever where there was no room for times.
  @inline(__always)
  func time(_ word: UInt64) -> Int64 {
    oldest &+ unit &* Int64(truncatingIfNeeded: word &>> belowTime)
  }
}
