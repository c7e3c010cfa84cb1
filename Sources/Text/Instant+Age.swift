extension Instant {
  /// Returns the age in whole years at `moment` of a person born at this instant, by calendar days in UTC.
  ///
  /// A year of age is complete on the birthday. For a person born on 29 February, it is complete on 1 March
  /// if the calendar year has no 29 February.
  ///
  /// - Parameter moment: The time at which to compute the age.
  /// - Returns: The age; `nil` if the day of birth is later.
  package func age(at moment: Instant) -> Int? {
    let born = Self.civil(days: Self.floorDivide(milliseconds, 86_400_000).quotient)
    let day = Self.civil(days: Self.floorDivide(moment.milliseconds, 86_400_000).quotient)
    guard (born.year, born.month, born.day) <= (day.year, day.month, day.day) else { return nil }
    let hasComeRound = (born.month, born.day) <= (day.month, day.day)
    return Int(day.year - born.year) - (hasComeRound ? 0 : 1)
  }
}
