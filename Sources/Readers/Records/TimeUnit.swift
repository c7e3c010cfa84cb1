/// The unit and the zero point of times that an export contains as numbers.
///
/// If several units fit equally well, a message proposes them in the order of these cases.
package enum TimeUnit: String, CaseIterable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z.
  case seconds
  /// Milliseconds since 1970-01-01T00:00:00Z.
  case milliseconds
  /// Microseconds since 1970-01-01T00:00:00Z.
  case microseconds
  /// Nanoseconds since 1970-01-01T00:00:00Z.
  case nanoseconds
  /// Days as counted by spreadsheets, with 1900-01-01 as day 1. Spreadsheets also count 1900-02-29 as day 60,
  /// although this date did not exist. Days are therefore correct only from 1900-03-01 on.
  case daysSince1900 = "days_since_1900"
  /// Seconds since 2001-01-01T00:00:00Z, as in exports of Apple's systems.
  case secondsSince2001 = "seconds_since_2001"

  /// Returns the moment of a number.
  ///
  /// - Parameters:
  ///   - whole: The number, rounded down.
  ///   - billionths: The rest of the number in billionths, 0 to 999 999 999.
  /// - Returns: The moment; `nil` outside the years 0001 to 9999. Days are rounded to milliseconds, because
  ///   most times of day have no exact decimal fraction of a day.
  package func moment(_ whole: Int64, billionths: Int64 = 0) -> Moment? {
    switch self {
    case .seconds: Self.moment(seconds: whole, billionths)
    case .milliseconds: Self.moment(whole, perMillisecond: 1, billionths)
    case .microseconds: Self.moment(whole, perMillisecond: 1000, billionths)
    case .nanoseconds: Self.moment(whole, perMillisecond: 1_000_000, billionths)
    case .daysSince1900: Self.moment(days: whole, billionths)
    case .secondsSince2001: Self.moment(seconds: whole, billionths, after: 978_307_200_000)
    }
  }

  /// Returns the moment of a JSON number that is stored as a double; `nil` outside the years 0001 to 9999.
  /// Like the double, the moment is exact to about a microsecond. Days are rounded to milliseconds.
  package func moment(_ number: Double) -> Moment? {
    switch self {
    case .seconds, .secondsSince2001, .milliseconds:
      let scale: Double = self == .milliseconds ? 1000 : 1_000_000
      let offset: Int64 = self == .secondsSince2001 ? 978_307_200_000_000 : 0
      guard let microseconds = Int64(exactly: (number * scale).rounded()) else { return nil }
      let (sum, overflows) = microseconds.addingReportingOverflow(offset)
      return overflows ? nil : TimeUnit.microseconds.moment(sum)
    case .microseconds, .nanoseconds:
      return Int64(exactly: number.rounded(.down)).flatMap { moment($0) }
    case .daysSince1900:
      let whole = number.rounded(.down)
      return Int64(exactly: whole).flatMap { Self.moment(days: $0, Int64((number - whole) * 1_000_000_000)) }
    }
  }

  private static func moment(seconds: Int64, _ billionths: Int64, after offset: Int64 = 0) -> Moment? {
    let (milliseconds, overflows) = seconds.multipliedReportingOverflow(by: 1000)
    guard !overflows else { return nil }
    let (sum, exceeds) = milliseconds.addingReportingOverflow(offset + billionths / 1_000_000)
    return exceeds ? nil : checked(sum, billionths % 1_000_000)
  }

  /// Returns the moment of a number of units. A millisecond has `count` units.
  private static func moment(_ whole: Int64, perMillisecond count: Int64, _ billionths: Int64) -> Moment? {
    let (quotient, remainder) = whole.quotientAndRemainder(dividingBy: count)
    let rest = remainder < 0 ? remainder + count : remainder
    let nanoseconds = rest * (1_000_000 / count) + billionths * (1_000_000 / count) / 1_000_000_000
    return checked(remainder < 0 ? quotient - 1 : quotient, nanoseconds)
  }

  private static func moment(days: Int64, _ billionths: Int64) -> Moment? {
    // From 1900-03-01 on, days are counted from 1899-12-30, which is 25 569 days before 1970-01-01.
    let (day, overflows) = days.subtractingReportingOverflow(25_569)
    guard !overflows else { return nil }
    let (midnight, exceeds) = day.multipliedReportingOverflow(by: 86_400_000)
    guard !exceeds else { return nil }
    let (sum, isTooLate) = midnight.addingReportingOverflow((billionths * 864 + 5_000) / 10_000)
    return isTooLate ? nil : checked(sum, 0)
  }

  private static func checked(_ milliseconds: Int64, _ nanoseconds: Int64) -> Moment? {
    representableInstants.contains(milliseconds)
      ? Moment(milliseconds: milliseconds, finer: UInt32(nanoseconds)) : nil
  }
}
