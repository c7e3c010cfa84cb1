/// A moment: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
package struct Instant: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var milliseconds: Int64

  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  package static func < (left: Instant, right: Instant) -> Bool {
    left.milliseconds < right.milliseconds
  }

  /// The instant as in RFC 3339, in UTC, with milliseconds only if they are not 0: `2026-11-20T23:58:12Z`.
  ///
  /// RFC 3339 cannot express years outside 0000 to 9999. Earlier years have a minus sign, and later years
  /// have more than four digits.
  package var description: String {
    let (days, rest) = Self.floorDivide(milliseconds, 86_400_000)
    let (year, month, day) = Self.civil(days: days)
    let seconds = rest / 1000
    let date = "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
    let time =
      "\(Self.padded(seconds / 3600, 2)):\(Self.padded(seconds / 60 % 60, 2)):\(Self.padded(seconds % 60, 2))"
    let fraction = rest % 1000 == 0 ? "" : "." + Self.padded(rest % 1000, 3)
    return date + "T" + time + fraction + "Z"
  }

  /// The date alone, as in `1990-05-01`, if the instant is the start of a day in UTC; otherwise
  /// `description`.
  package var dateDescription: String {
    let text = description
    return text.hasSuffix("T00:00:00Z") ? String(text.dropLast(10)) : text
  }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value.magnitude)
    let zeros = String(repeating: "0", count: max(0, width - digits.count))
    return (value < 0 ? "-" : "") + zeros + digits
  }

  static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// Returns the proleptic Gregorian date `days` days after 1970-01-01.
  ///
  /// Years are counted from March, so that the leap day is the last day of a year. Each era of 400 years has
  /// 146 097 days.
  static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}

extension Instant: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    milliseconds = try container.decode(Int64.self, forKey: .milliseconds)
  }

  /// Encodes the number of milliseconds, and the same instant as human-readable text.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(milliseconds, forKey: .milliseconds)
    try container.encode(description, forKey: .utc)
  }

  private enum CodingKeys: String, CodingKey { case milliseconds, utc }
}
