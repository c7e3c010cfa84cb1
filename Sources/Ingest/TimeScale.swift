/// How times that are near each other are told in four bytes: as milliseconds from the oldest on, which are enough for seven
/// weeks, or as seconds, for 136 years, where all are whole seconds apart.
struct TimeScale: BitwiseCopyable {
  /// Milliseconds since 1970 UTC.
  private let oldest: Int64
  /// Milliseconds.
  private let unit: Int64

  /// The scale for `times`; `nil` where there is none. Of no times any.
  ///
  /// - Parameters:
  ///   - times: Milliseconds since 1970 UTC, within `representableInstants`.
  ///   - range: From the oldest to the newest of them.
  init?(_ times: some Sequence<Int64>, in range: ClosedRange<Int64>) {
    oldest = range.lowerBound
    let length = range.upperBound - range.lowerBound
    if length <= Int64(UInt32.max) {
      unit = 1
    } else if length / 1000 <= Int64(UInt32.max), times.allSatisfy({ ($0 - range.lowerBound) % 1000 == 0 }) {
      unit = 1000
    } else {
      return nil
    }
  }

  @inline(__always)
  func packed(_ time: Int64) -> UInt32 {
    let distance = time - oldest
    return UInt32(truncatingIfNeeded: unit == 1 ? distance : distance / 1000)
  }

  @inline(__always)
  func time(_ packed: UInt32) -> Int64 { oldest + unit * Int64(packed) }
}
