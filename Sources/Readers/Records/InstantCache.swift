/// Parses instants, and reuses the day of the previous instant. In most exports of interactions, many
/// consecutive instants are on the same day.
///
/// `parseMoment` defines the syntax. The cache speeds up only the form `2026-11-20T23:58:12Z`. The type is
/// public because the compiler inlines only public code into other modules.
public struct InstantCache: Sendable {
  /// The last day that was parsed in this form: the bytes of `2026-11-`, the bytes of `20`, and the day's
  /// midnight in milliseconds since 1970 UTC. The midnight is `nil` before the first day, and for a day that
  /// does not exist.
  @usableFromInline var month: UInt64 = 0
  @usableFromInline var day: UInt16 = 0
  @usableFromInline var midnight: Int64?

  package init() {}

  /// Returns the same moment as `parseMoment`.
  package mutating func moment(_ text: Span<UInt8>, unit: TimeUnit) -> Moment? {
    if let instant = onSameDay(text) { return Moment(milliseconds: instant) }
    // A text with hyphens in these places is a date, not a number.
    if text.count == 20, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-") {
      (month, day) = Self.day(text)
      midnight = parseInstant(text.extracting(0..<10))
      if let instant = onSameDay(text) { return Moment(milliseconds: instant) }
    }
    return parseMoment(text, unit: unit)
  }

  /// Returns the same instant as `parseInstant` for a text of the form `2026-11-20T23:58:12Z` on the stored
  /// day; otherwise `nil`.
  @inlinable @inline(__always)
  public func onSameDay(_ text: Span<UInt8>) -> Int64? {
    guard text.count == 20, text[10] == UInt8(ascii: "T"), text[19] == UInt8(ascii: "Z"), let midnight,
      Self.day(text) == (month, day)
    else { return nil }
    // The loads check their bounds. They are marked unsafe because some types must not be loaded
    // from arbitrary bytes.
    let time = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: 11, as: UInt64.self)
    guard let seconds = Self.seconds(time.littleEndian) else { return nil }
    return midnight + 1000 * Int64(seconds)
  }

  @inlinable @inline(__always)
  static func day(_ text: Span<UInt8>) -> (month: UInt64, day: UInt16) {
    let bytes = unsafe text.bytes
    return unsafe (
      bytes.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt64.self),
      bytes.unsafeLoadUnaligned(fromByteOffset: 8, as: UInt16.self)
    )
  }

  /// Returns the number of seconds from midnight to `time`; `nil` for a leap second, or if the text is not a
  /// time of day. The parameter `time` contains the eight bytes of a text such as `23:58:12`, with the first
  /// byte lowest.
  @inlinable @inline(__always)
  static func seconds(_ time: UInt64) -> Int? {
    // Digits become their values, and colons become 0.
    let digits = time ^ 0x3030_3A30_303A_3030
    // A digit above 9 sets a bit in the high half of its byte. At the place of a colon, any value above 0
    // sets the highest bit of its byte.
    guard (digits | (digits &+ 0x0606_7F06_067F_0606)) & 0xF0F0_80F0_F080_F0F0 == 0 else { return nil }
    // The hour is now in the lowest byte, the minute in the fourth and the second in the seventh. The mask
    // clears all other bits.
    let parts = (digits &* 10 &+ digits &>> 8) & 0x007F_0000_7F00_007F
    // An hour above 23, or a minute or second above 59, sets the highest bit of its byte.
    guard (parts &+ 0x0044_0000_4400_0068) & 0x0080_0000_8000_0080 == 0 else { return nil }
    // The fourth and fifth bytes of the product contain sixty times the hour plus the minute.
    let minutes = (parts &* (60 << 24 | 1)) &>> 24 & 0xFFFF
    return Int(truncatingIfNeeded: minutes &* 60 &+ parts &>> 48)
  }
}

extension FieldValue {
  /// Returns the same moment as `moment(unit:)`, but faster with the help of `cache`.
  @inline(__always)
  package func moment(unit: TimeUnit, _ cache: inout InstantCache) -> Moment? {
    if case .text(let text) = self { return cache.moment(text.span, unit: unit) }
    return moment(unit: unit)
  }
}
