package import Files

/// Synthetic exports of Fusion, the business-networking app: people and their swipes, with a little dirt.
///
/// Everything in them is invented. Tastes are hidden in the swipes, so a model has something to learn; some
/// rows are broken on purpose, and the summary says how many break which rule. The same seed and sizes give
/// the same bytes. Random numbers are the same everywhere; `log`, `exp` and `cos` come from the system and
/// may differ in their last bit on another kind of machine, so what comes of them is rounded (positions to 5
/// decimals, counts to whole numbers) or only compared with a random number, and another byte is very unlikely.
///
/// Not for measuring how well people are matched: the world behind it follows the shape of the model.
package struct FusionExport: Sendable {
  /// Different ids in `users.json`, those of rejected documents included.
  package let users: Int
  /// Rows in `swipes.csv`, bad ones included.
  package let swipes: Int
  package let seed: UInt64

  package static let usersFile = "users.json"
  package static let swipesFile = "swipes.csv"

  /// The newest swipe of every export, 2026-11-15T23:41:07Z, in milliseconds since 1970. Fixed: an export that
  /// depended on today would be another one tomorrow.
  package static let newestSwipe = CivilTime.instant(
    year: 2026, month: 11, day: 15, hour: 23, minute: 41, second: 7)
  /// Calendar days with swipes, that of the newest included.
  package static let days = 120

  /// An export that is still to be written.
  ///
  /// - Parameters:
  ///   - users: 20 to 1 000 000.
  ///   - swipes: From twice the users, so that few have only one, to an eighth of their square, so that nobody
  ///     runs out of people to see; at most 100 000 000.
  ///   - seed: Any number; another one gives other people.
  /// - Throws: `SynthesisError`.
  package init(users: Int = 2000, swipes: Int = 60_000, seed: UInt64) throws(SynthesisError) {
    guard (20...1_000_000).contains(users) else {
      throw SynthesisError(argument: "users", reason: "must be 20 to 1000000, not \(users)")
    }
    let range = 2 * users...min(users * users / 8, 100_000_000)
    guard range.contains(swipes) else {
      throw SynthesisError(
        argument: "swipes",
        reason: "must be \(range.lowerBound) to \(range.upperBound) for \(users) users, not \(swipes)")
    }
    self.users = users
    self.swipes = swipes
    self.seed = seed
  }

  /// Writes `users.json` and `swipes.csv` and returns what they hold.
  ///
  /// The directory, and what is missing above it, is made. Files of these names are replaced, each at once and
  /// only after both are complete on the disk.
  ///
  /// - Complexity: O(users + swipes log swipes) in time, O(users + swipes) in space.
  /// - Throws: `FileError`; no file was replaced then.
  package func write(into directory: String) throws(FileError) -> SynthesisSummary {
    try ReplacedFiles.write([Self.usersFile, Self.swipesFile], into: directory) {
      (paths) throws(FileError) in try write(users: paths[0], swipes: paths[1])
    }
  }

  private func write(users usersPath: String, swipes swipesPath: String) throws(FileError) -> SynthesisSummary
  {
    var usersFile = try FileWriter(creating: usersPath)
    var swipesFile = try FileWriter(creating: swipesPath)
    let rhythm = DailyRhythm(end: Self.newestSwipe, days: Int64(Self.days))
    let population = FusionPopulation(users: users, seed: seed, rhythm: rhythm)
    let plan = ActivityPlan(people: population.people, swipes: swipes, seed: seed, rhythm: rhythm)
    let schedule = SwipeSchedule(plan: plan, people: population.people, seed: seed, rhythm: rhythm)

    var summary = SynthesisSummary(seed: seed, newestSwipe: Self.newestSwipe)
    try FusionUserDocuments(population).write(to: &usersFile, summary: &summary)
    var simulation = SwipeSimulation(population: population, plan: plan, schedule: schedule)
    try Self.writeSwipes(of: &simulation, among: population, to: &swipesFile, summary: &summary)
    summary.userBytes = try usersFile.finish(as: Self.usersFile).bytes
    summary.swipeBytes = try swipesFile.finish(as: Self.swipesFile).bytes
    return summary
  }

  private static func writeSwipes(
    of simulation: inout SwipeSimulation, among population: FusionPopulation, to file: inout FileWriter,
    summary: inout SynthesisSummary
  ) throws(FileError) {
    var rows = FusionSwipeRows(population)
    var hasSwiped = population.people.map { $0.fault != nil }
    try file.append(FusionSwipeRows.header)
    while let swipe = simulation.next() {
      try file.append(rows.line(swipe))
      summary.swipes += 1
      if let fault = swipe.fault {
        summary.swipesBreaking[fault.rule, default: 0] += 1
        continue
      }
      hasSwiped[swipe.swiper] = true
      if swipe.isLike { summary.likes += 1 } else { summary.passes += 1 }
      if swipe.isChangeOfMind { summary.changesOfMind += 1 }
      if swipe.isAnswer { summary.answers += 1 }
    }
    summary.matches = simulation.matchCount()
    summary.usersWithoutSwipes = hasSwiped.count { !$0 }
  }
}
