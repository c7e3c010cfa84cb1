extension Instant {
  /// The age, in whole years, at `moment` of a person born at this instant: by the calendar, in UTC.
  ///
  /// A year is complete on the birthday. A person born on 29 February is a year older on 1 March of a year without that day.
  ///
  /// - Parameter moment: The time at which to compute the age.
  /// - Returns: `nil` if the day of birth is later.
  package func age(at moment: Instant) -> Int? {
    let born = Self.civil(days: Self.floorDivide(milliseconds, 86_400_000).quotient)
    let day = Self.civil(days: Self.floorDivide(moment.milliseconds, 86_400_000).quotient)
    guard (born.year, born.month, born.day) <= (day.year, day.month, day.day) else { return nil }
    let hasComeRound = (born.month, born.day) <= (day.month, day.day)
    return Int(day.year - born.year) - (hasComeRound ? 0 : 1)
  }
}
