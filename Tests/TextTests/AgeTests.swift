import Testing
import Text

/// Computes whole years by the calendar.
@Suite struct AgeTests {
  private static func day(_ year: Int, _ month: Int, _ day: Int) -> Instant {
    // Computes the civil calendar in another way, by adding the days of all earlier years and
    // months.
    func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
    let months = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    var days = months.prefix(month - 1).reduce(0, +) + day - 1
    if year >= 1970 {
      for year in 1970..<year { days += isLeap(year) ? 366 : 365 }
    } else {
      for year in year..<1970 { days -= isLeap(year) ? 366 : 365 }
    }
    return Instant(milliseconds: Int64(days) * 86_400_000)
  }

  @Test(arguments: [
    ([2000, 6, 15], [2018, 6, 14], 17), ([2000, 6, 15], [2018, 6, 15], 18),
    ([2000, 6, 15], [2019, 6, 14], 18),
    ([2008, 2, 29], [2026, 2, 28], 17), ([2008, 2, 29], [2026, 3, 1], 18),
    ([2008, 2, 29], [2028, 2, 28], 19),
    ([2008, 2, 29], [2028, 2, 29], 20), ([1999, 12, 31], [2000, 1, 1], 0),
    ([1999, 12, 31], [2000, 12, 30], 0),
    ([1999, 12, 31], [2000, 12, 31], 1), ([1950, 3, 1], [2026, 2, 28], 75),
    ([1950, 3, 1], [2026, 3, 1], 76),
    ([2020, 1, 1], [2020, 1, 1], 0), ([2020, 1, 2], [2020, 1, 1], nil),
  ]) func `an age counts birthdays`(born: [Int], at: [Int], expected: Int?) {
    let (born, moment) = (Self.day(born[0], born[1], born[2]), Self.day(at[0], at[1], at[2]))
    #expect(born.age(at: moment) == expected)
    // An age stays the same all day long, and does not depend on the time of birth.
    let (late, lateBorn) = (
      Instant(milliseconds: moment.milliseconds + 86_399_999),
      Instant(milliseconds: born.milliseconds + 86_399_999)
    )
    #expect(born.age(at: late) == expected)
    #expect(lateBorn.age(at: moment) == expected)
  }
}
