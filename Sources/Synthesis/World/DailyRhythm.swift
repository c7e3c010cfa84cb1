internal import Concurrency

/// The times when people use the app. Use is higher in the evening and lower on Friday and Saturday. It grows
/// steadily over the period.
struct DailyRhythm: Sendable {
  /// The first midnight, in milliseconds since 1970. Hours are counted from this time.
  let start: Int64
  let end: Int64
  private let hours: WeightedChoice

  /// The weights of the hours of a day in UTC. The hours from 17 to 21 are the evening in Europe.
  private static let hourWeights: [Double] = [
    1.2, 0.6, 0.3, 0.2, 0.2, 0.5, 1.5, 2.6, 2.8, 2.4, 2.4, 3.2,
    3.4, 2.6, 2.3, 2.5, 3.4, 4.8, 6.6, 8.0, 8.2, 6.4, 4.0, 2.2,
  ]
  /// The weights of the weekdays, starting with Monday. Business networking starts on Sunday evening and is
  /// rare on Friday and Saturday.
  private static let weekdayWeights: [Double] = [1.15, 1.2, 1.15, 1.05, 0.8, 0.65, 1.0]

  /// - Parameters:
  ///   - end: The end of the period, in milliseconds since 1970.
  ///   - days: The number of calendar days, including the day of `end`.
  init(end: Int64, days: Int64) {
    let midnight = end - end % CivilTime.day
    let start = midnight - (days - 1) * CivilTime.day
    self.start = start
    self.end = end
    let count = Int((end - start) / CivilTime.hour) + 1
    hourCount = count
    hours = WeightedChoice(
      (0..<count).map { hour in
        let growth = 0.7 + 0.6 * Double(hour) / Double(count)
        let weekday = CivilTime.weekday(start + Int64(hour) * CivilTime.hour)
        return Self.hourWeights[hour % 24] * Self.weekdayWeights[weekday] * growth
      })
  }

  /// Draws a random instant in `range` according to the rhythm. The range must be within `start..<end` and
  /// not empty.
  func next(in range: Range<Int64>, using generator: inout SplitMix64) -> Int64 {
    let from = weight(before: range.lowerBound)
    let to = weight(before: range.upperBound)
    let target = from + generator.nextUnit() * (to - from)
    let hour = hours.index(at: target)
    let before = hours.sum(before: hour)
    let share = (target - before) / max(hours.sum(before: hour + 1) - before, .leastNormalMagnitude)
    let instant = start + Int64(hour) * CivilTime.hour + Int64(share * Double(CivilTime.hour))
    return min(max(instant, range.lowerBound), range.upperBound - 1)
  }

  /// The number of hours in the period. The last hour may be shorter, because it ends at `end`.
  let hourCount: Int

  /// Draws a random hour according to the rhythm, counted from `start`.
  func nextHour(using generator: inout SplitMix64) -> Int { hours.next(using: &generator) }

  /// Returns the total weight from `start` to `instant`.
  private func weight(before instant: Int64) -> Double {
    let (hour, rest) = (instant - start).quotientAndRemainder(dividingBy: CivilTime.hour)
    let before = hours.sum(before: Int(hour))
    let share = Double(rest) / Double(CivilTime.hour)
    return rest == 0 ? before : before + share * (hours.sum(before: Int(hour) + 1) - before)
  }
}
