extension Instant {
  /// The age, in whole years, at `moment` of whoever was born at this one: by the calendar, in UTC.
  ///
  /// A year is complete when the day of birth has come round. Whoever was born on 29 February is a year older on 1 March
  /// of a year without that day.
  ///
  /// - Parameter moment: When the age is asked for.
  /// - Returns: `nil` where the day of birth is a later one.
  package func age(at moment: Instant) -> Int? {
    let born = Self.civil(days: Self.floorDivide(milliseconds, 86_400_000).quotient)
    let day = Self.civil(days: Self.floorDivide(moment.milliseconds, 86_400_000).quotient)
    guard (born.year, born.month, born.day) <= (day.year, day.month, day.day) else { return nil }
    let hasComeRound = (born.month, born.day) <= (day.month, day.day)
    return Int(day.year - born.year) - (hasComeRound ? 0 : 1)
  }
}
