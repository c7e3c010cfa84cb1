/// The representable times, 0001-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z, in milliseconds since 1970
/// UTC.
package let representableInstants: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

/// Parses all of `bytes` as a moment. The accepted forms are:
///
/// - `2026-11-20T23:58:12.345+01:00`: RFC 3339, with these extensions: a space or `t` for `T`; `,` for the
///   point; seconds may be absent; the offset may be `Z`, `z`, ` UTC`, `+01:00`, `+0100`, `+01`, or absent,
///   which means UTC.
/// - `2026-11-20`: midnight UTC.
/// - A number with an optional sign and an optional decimal fraction, in the unit `unit`.
///
/// A fraction may have any number of digits. The fraction is rounded down to nanoseconds, even before 1970.
/// The calendar is the proleptic Gregorian one, and the day must exist. The hour is 00 to 23. A leap second,
/// `:60` where UTC has 23:59:60, counts as the first second of the next day; any other `:60` is rejected.
///
/// - Parameters:
///   - bytes: All bytes of the field.
///   - unit: The unit of a number. A text such as `20261120` is a number, not a date.
/// - Returns: The moment, within `representableInstants`; `nil` if `bytes` are not a moment in that range.
/// - Complexity: O(n), no allocation.
///
/// Source: RFC 3339, section 5.6; ISO 8601:2004, 4.2 and 4.3.
package func parseMoment(_ bytes: Span<UInt8>, unit: TimeUnit = .milliseconds) -> Moment? {
  guard bytes.count >= 10, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-") else {
    return parseCount(bytes).flatMap { unit.moment($0.whole, billionths: $0.billionths) }
  }
  guard let year1 = twoDigits(bytes, 0), let year2 = twoDigits(bytes, 2),
    let month = twoDigits(bytes, 5), let day = twoDigits(bytes, 8)
  else { return nil }
  let year = year1 * 100 + year2
  guard year >= 1, (1...12).contains(month), day >= 1, day <= daysInMonth(month, year: year) else {
    return nil
  }
  let midnight = daysSince1970(year: year, month: month, day: day) * 86_400
  if bytes.count == 10 { return Moment(milliseconds: Int64(midnight) * 1000) }

  guard bytes.count >= 16, bytes[10] == UInt8(ascii: " ") || bytes[10] | 0x20 == UInt8(ascii: "t"),
    let hour = twoDigits(bytes, 11), hour < 24, bytes[13] == UInt8(ascii: ":"),
    let minute = twoDigits(bytes, 14), minute < 60
  else { return nil }
  var index = 16
  var second = 0
  var nanoseconds = 0
  if index < bytes.count, bytes[index] == UInt8(ascii: ":") {
    guard let written = twoDigits(bytes, 17), written <= 60 else { return nil }
    second = written
    index = 19
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") || bytes[index] == UInt8(ascii: ",") {
      guard let fraction = billionths(bytes, &index) else { return nil }
      nanoseconds = fraction
    }
  }
  guard let offset = offsetInSeconds(bytes, from: index) else { return nil }
  let seconds = midnight + hour * 3600 + minute * 60 + second - offset
  if second == 60, seconds % 86_400 != 0 { return nil }
  let instant = Int64(seconds) * 1000 + Int64(nanoseconds / 1_000_000)
  return representableInstants.contains(instant)
    ? Moment(milliseconds: instant, finer: UInt32(nanoseconds % 1_000_000)) : nil
}

/// Parses all of `bytes` as a moment, rounded down to milliseconds since 1970 UTC.
package func parseInstant(_ bytes: Span<UInt8>, unit: TimeUnit = .milliseconds) -> Int64? {
  parseMoment(bytes, unit: unit)?.milliseconds
}

/// Parses all of `bytes` as an optional sign, digits and an optional fraction: `1795000000.25`.
///
/// - Returns: The number, rounded down, and the rest in billionths; `nil` for any other text, or if the whole
///   number does not fit in 64 bits.
private func parseCount(_ bytes: Span<UInt8>) -> (whole: Int64, billionths: Int64)? {
  guard let point = bytes.indices.first(where: { bytes[$0] == UInt8(ascii: ".") }) else {
    return parseInteger(bytes).map { ($0, 0) }
  }
  var index = point
  guard let whole = parseInteger(bytes.extracting(0..<point)), let rest = billionths(bytes, &index),
    index == bytes.count
  else { return nil }
  guard bytes[0] == UInt8(ascii: "-"), rest > 0 else { return (whole, Int64(rest)) }
  // A negative number with a fraction is rounded down to `whole - 1`. For -0.25, `whole` is 0.
  return whole == .min ? nil : (whole - 1, 1_000_000_000 - Int64(rest))
}

/// Returns the number of days from 1970-01-01 to a date of the proleptic Gregorian calendar; negative for
/// earlier dates.
///
/// Years are counted from March, so that a leap day is the last day of its year. Each era of 400 years has
/// 146 097 days.
///
/// Source: Hinnant, "chrono-Compatible Low-Level Date Algorithms" (days_from_civil).
func daysSince1970(year: Int, month: Int, day: Int) -> Int {
  let marchYear = month > 2 ? year : year - 1
  let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
  let yearOfEra = marchYear - era * 400
  let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
  let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
  // 0000-03-01, the start of era 0, is 719 468 days before 1970-01-01.
  return era * 146_097 + dayOfEra - 719_468
}

func daysInMonth(_ month: Int, year: Int) -> Int {
  switch month {
  case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  case 4, 6, 9, 11: 30
  default: 31
  }
}

@inline(__always)
private func twoDigits(_ bytes: Span<UInt8>, _ index: Int) -> Int? {
  guard index + 1 < bytes.count, let tens = digit(bytes[index]), let ones = digit(bytes[index + 1]) else {
    return nil
  }
  return tens * 10 + ones
}

/// Returns the fraction after the point at `index`, in billionths, rounded down; `nil` if no digit follows
/// the point. Moves `index` past the point and all digits.
private func billionths(_ bytes: Span<UInt8>, _ index: inout Int) -> Int? {
  index += 1
  let start = index
  var weight = 100_000_000
  var value = 0
  while index < bytes.count, let digit = digit(bytes[index]) {
    value += digit * weight
    weight /= 10
    index += 1
  }
  return index > start ? value : nil
}

/// Returns the UTC offset, in seconds, in the bytes from `start` on; 0 if no bytes remain, `nil` if the bytes
/// are not an offset.
private func offsetInSeconds(_ bytes: Span<UInt8>, from start: Int) -> Int? {
  let count = bytes.count - start
  guard count > 0 else { return 0 }
  let sign = bytes[start]
  if count == 1 { return sign | 0x20 == UInt8(ascii: "z") ? 0 : nil }
  if sign == UInt8(ascii: " ") {
    return ByteView(bytes.extracting(start..<bytes.count)).equals(" UTC") ? 0 : nil
  }
  guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hours = twoDigits(bytes, start + 1),
    hours < 24
  else { return nil }
  var minutes = 0
  switch count {
  case 3: break
  case 5, 6:
    if count == 6, bytes[start + 3] != UInt8(ascii: ":") { return nil }
    guard let written = twoDigits(bytes, bytes.count - 2), written < 60 else { return nil }
    minutes = written
  default: return nil
  }
  let offset = hours * 3600 + minutes * 60
  return sign == UInt8(ascii: "-") ? -offset : offset
}
