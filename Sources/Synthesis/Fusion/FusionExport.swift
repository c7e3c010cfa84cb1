package import Files

/// Synthetic exports of Fusion, the business-networking app: people and their swipes.
///
/// Hidden tastes determine the swipes, so that a model has something to learn. Some rows are broken on
/// purpose, and the summary counts them by rule.
///
/// Do not use these exports to measure the quality of rankings, because their swipes follow the form of the
/// model.
package struct FusionExport: SyntheticExport {
  /// The number of ids in `users.json`, including ids of rejected documents.
  package let users: Int
  /// The number of rows in `swipes.csv`, including broken ones.
  package let swipes: Int
  package let seed: UInt64

  package static let usersFile = "users.json"
  package static let swipesFile = "swipes.csv"
  package var fileNames: [String] { [Self.usersFile, Self.swipesFile] }

  /// The time of the newest swipe in every export, 2026-11-15T23:41:07Z, in milliseconds since 1970.
  package static let newestSwipe = CivilTime.instant(
    year: 2026, month: 11, day: 15, hour: 23, minute: 41, second: 7)
  /// The number of calendar days with swipes, including the day of the newest row.
  package static let days = 120

  /// Creates an export without writing it.
  ///
  /// - Parameters:
  ///   - users: The number of users, 20 to 1,000,000.
  ///   - swipes: The number of swipes, at most 100 million. For n users, it is at least 2n, so that few users
  ///     have only one swipe. It is at most n² / 8, so that the app has enough people to show to each user.
  ///   - seed: Any number. A different seed gives different people.
  /// - Throws: `SynthesisError` if a size is out of its range.
  package init(users: Int = 2000, swipes: Int = 60_000, seed: UInt64) throws(SynthesisError) {
    try SynthesisError.check("users", users, in: 20...1_000_000)
    try SynthesisError.check(
      "swipes", swipes, in: 2 * users...min(users * users / 8, 100_000_000), forUsers: users)
    self.users = users
    self.swipes = swipes
    self.seed = seed
  }

  /// Writes `users.json`, then `swipes.csv`.
  ///
  /// - Complexity: O(u + s log s) time and O(u + s) memory, for u users and s swipes.
  package func write(to files: inout ExportWriter, threads: Int) throws(FileError) -> FusionSummary {
    let rhythm = DailyRhythm(end: Self.newestSwipe, days: Int64(Self.days))
    let population = FusionPopulation(users: users, seed: seed, rhythm: rhythm)
    let plan = ActivityPlan(people: population.people, swipes: swipes, seed: seed, rhythm: rhythm)
    let schedule = SwipeSchedule(plan: plan, people: population.people, seed: seed, rhythm: rhythm)

    var summary = FusionSummary(seed: seed, newestSwipe: Self.newestSwipe)
    let documents = FusionUserDocuments(population)
    documents.count(in: &summary)
    try files.page(Self.usersFile, of: "documents", documents.lines)
    summary.userBytes = files.bytes
    var simulation = SwipeSimulation(population: population, plan: plan, schedule: schedule)
    try files.file(Self.swipesFile) { (file) throws(FileError) in
      try Self.writeSwipes(of: &simulation, among: population, to: &file, summary: &summary)
    }
    summary.swipeBytes = files.bytes - summary.userBytes
    return summary
  }

  private static func writeSwipes(
    of simulation: inout SwipeSimulation, among population: FusionPopulation, to file: inout FileWriter,
    summary: inout FusionSummary
  ) throws(FileError) {
    var rows = FusionSwipeRows(population)
    var hasSwiped = population.people.map { $0.fault != nil }
    try file.append(FusionSwipeRows.header)
    while let swipe = simulation.next() {
      try file.append(rows.line(swipe))
      summary.swipes += 1
      if let fault = swipe.fault {
        summary.swipesBreaking.add(fault.rule)
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
