/// Instants as milliseconds since 1970-01-01T00:00:00Z, and their text forms in exports.
///
/// The pipeline does not use this code, because an error in code that both writes and reads the exports could
/// stay hidden.
enum CivilTime {
  /// The precision of the seconds.
  enum Fraction: Sendable {
    case none, milliseconds, microseconds
  }

  static let second: Int64 = 1000
  static let hour: Int64 = 3600 * second
  static let day: Int64 = 24 * hour

  /// Returns the instant of a time in UTC in the proleptic Gregorian calendar. `month` and `day` start at 1.
  static func instant(
    year: Int64, month: Int64, day dayOfMonth: Int64, hour: Int64 = 0, minute: Int64 = 0, second: Int64 = 0
  ) -> Int64 {
    // In this calculation, years begin in March, so that the leap day is the last day of a year.
    let marchYear = month > 2 ? year : year - 1
    let marchMonth = month > 2 ? month - 3 : month + 9
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    let days = 365 * marchYear + leapDays + (153 * marchMonth + 2) / 5 + dayOfMonth - 1 - 719_468
    return days * day + hour * Self.hour + (minute * 60 + second) * Self.second
  }

  /// Returns the instant in the form of RFC 3339 in UTC, such as `2026-11-15T23:41:07Z`, for the years 1970
  /// to 9999.
  ///
  /// `instant` is in milliseconds and not negative. Decimals beyond `fraction` are truncated. `microsecond`
  /// is the number of microseconds after the millisecond, 0 to 999.
  static func text(_ instant: Int64, _ fraction: Fraction, microsecond: Int64 = 0) -> String {
    let (days, rest) = instant.quotientAndRemainder(dividingBy: day)
    let (year, month, dayOfMonth) = date(days: days)
    let seconds = rest / second
    var text = padded(year, 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2) + "T"
    text += padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" + padded(seconds % 60, 2)
    switch fraction {
    case .none: break
    case .milliseconds: text += "." + padded(rest % second, 3)
    case .microseconds: text += "." + padded(rest % second, 3) + padded(microsecond, 3)
    }
    return text + "Z"
  }

  /// Returns the weekday, from 0 for Monday to 6 for Sunday.
  static func weekday(_ instant: Int64) -> Int {
    Int((instant / day + 3) % 7)  // 1970-01-01 was a Thursday
  }

  /// Returns `value`, which must not be negative, with leading zeros up to `width` digits.
  static func padded(_ value: some BinaryInteger, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  /// Returns the date that is `days` days after 1970-01-01. A period of 400 years has 146,097 days.
  private static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }
}
