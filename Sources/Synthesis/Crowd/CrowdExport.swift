internal import Concurrency
package import Files

/// A synthetic export of up to millions of people and their swipes, and the pipeline file for it.
///
/// Cities are of sizes by Zipf's law; most swipes are on people of one's own city, some on those of the cities around,
/// few on anybody. What people like is hidden in their swipes, so that models have something to learn. No row is broken.
/// Users stand by id, swipes by time. The same seed, sizes and build give the same bytes with any number of threads:
/// every person and every session has a stream of random numbers of its own, text is made and compressed in parts, and
/// parts are written in order.
///
/// Not for measuring how well people are matched: the world behind it follows the shape of the model.
package struct CrowdExport: Sendable {
  package let users: Int
  /// On average; the total is `users` times this exactly.
  package let swipesPerUser: Int
  package let seed: UInt64
  package let format: CrowdFormat
  package let compression: CrowdCompression?

  /// The end of the last day, 2025-12-31. Fixed: an export that depended on today would be another one tomorrow.
  private static let end = CivilTime.instant(
    year: 2025, month: 12, day: 31, hour: 23, minute: 59, second: 59)
  /// Calendar days with swipes.
  private static let days: Int64 = 120
  package static let mostUsers = 20_000_000
  package static let mostSwipes = 500_000_000

  /// An export that is still to be written.
  ///
  /// - Parameters:
  ///   - users: 20 to `mostUsers`.
  ///   - swipesPerUser: At least 1 and at most an eighth of the users, so that nobody runs out of people to see;
  ///     with at most `mostSwipes` in all.
  ///   - seed: Any number; another one gives other people.
  ///   - format: Of both files.
  ///   - compression: Of both files; `nil` for none.
  /// - Throws: `SynthesisError`.
  package init(
    users: Int, swipesPerUser: Int, seed: UInt64, format: CrowdFormat, compression: CrowdCompression?
  ) throws(SynthesisError) {
    guard (20...Self.mostUsers).contains(users) else {
      throw SynthesisError(argument: "users", reason: "must be 20 to \(Self.mostUsers), not \(users)")
    }
    let most = min(users / 8, Self.mostSwipes / users)
    guard (1...most).contains(swipesPerUser) else {
      throw SynthesisError(
        argument: "swipes-per-user", reason: "must be 1 to \(most) for \(users) users, not \(swipesPerUser)")
    }
    self.users = users
    self.swipesPerUser = swipesPerUser
    self.seed = seed
    self.format = format
    self.compression = compression
  }

  private func fileName(_ table: String) -> String {
    table + "." + format.rawValue + (compression?.ending ?? "")
  }

  package static let pipelineFile = "pipeline.yaml"

  /// The names of the files that `write` makes.
  package var fileNames: [String] { [fileName("users"), fileName("swipes"), Self.pipelineFile] }

  /// Writes the users, the swipes and `pipeline.yaml`, and returns what they hold.
  ///
  /// The directory, and what is missing above it, is made. Files of these names are replaced, each at once and
  /// only after all are complete on the disk.
  ///
  /// - Complexity: O(users + swipes) in time; in space 24 bytes per user, 1 or 2 per swipe, and a few parts of text.
  /// - Throws: `FileError`; no file was replaced then.
  package func write(into directory: String, threads: Int) throws(FileError) -> CrowdSummary {
    try Directories.create(directory)
    let names = fileNames
    let partials = names.map { "\(directory)/.\($0).partial" }
    for partial in partials { try Directories.remove(partial) }
    do throws(FileError) {
      let summary = try write(users: partials[0], swipes: partials[1], threads: threads)
      var pipeline = try FileWriter(creating: partials[2])
      try pipeline.append(CrowdPipelineFile.text(users: names[0], swipes: names[1], seed: seed))
      _ = try pipeline.finish(as: names[2])
      for (name, partial) in zip(names, partials) {
        try Directories.rename(partial, over: directory + "/" + name)
      }
      return summary
    } catch {
      // The first error is the one to tell; what cannot be removed either is hidden and replaced next time.
      for partial in partials { try? Directories.remove(partial) }
      throw error
    }
  }

  private func write(users usersPath: String, swipes swipesPath: String, threads: Int) throws(FileError)
    -> CrowdSummary
  {
    var usersFile = try FileWriter(creating: usersPath)
    var swipesFile = try FileWriter(creating: swipesPath)
    let rhythm = DailyRhythm(end: Self.end, days: Self.days)
    let ids = CrowdIDs(users: users)
    let crowd = Crowd(users: users, seed: seed, threads: threads)
    let sessions = CrowdSessions(
      CrowdActivity(users: users, perUser: swipesPerUser, seed: seed, threads: threads), rhythm: rhythm,
      seed: seed, threads: threads)
    let sizes = crowd.cities.indices.map { crowd.population(of: $0) }
    var summary = CrowdSummary(
      seed: seed, users: users, usersWithoutSwipes: sessions.usersWithoutSwipes,
      cities: sizes.count { $0 > 0 }, largestCity: sizes.max() ?? 0)

    let userRows = CrowdUserRows(crowd: crowd, format: format, ids: ids, firstSwipe: rhythm.start)
    let pack = compressed
    try usersFile.append(pack(Array(userRows.header.utf8)))
    try parallelInOrder(count: userRows.chunks, threads: threads) {
      (number) throws(FileError) in
      pack(userRows.text(ofChunk: number))
    } consume: { (bytes) throws(FileError) in
      try usersFile.append(bytes)
    }
    let swipeRows = CrowdSwipeRows(
      crowd: crowd, sessions: sessions, rhythm: rhythm, format: format, ids: ids)
    try swipesFile.append(pack(Array(swipeRows.header.utf8)))
    try parallelInOrder(count: swipeRows.chunks.count, threads: threads) {
      (number) throws(FileError) in
      var text = swipeRows.text(ofChunk: number)
      text.bytes = pack(text.bytes)
      return text
    } consume: { (text) throws(FileError) in
      try swipesFile.append(text.bytes)
      summary.swipes += text.rows
      summary.likes += text.likes
      if let newest = text.newest { summary.newestSwipe = CivilTime.text(newest, .none) }
    }
    summary.files = [
      try usersFile.finish(as: fileName("users"), rows: users),
      try swipesFile.finish(as: fileName("swipes"), rows: summary.swipes),
    ]
    return summary
  }

  /// `bytes`, compressed if the files are; no byte stays none.
  private func compressed(_ bytes: [UInt8]) -> [UInt8] {
    guard let compression, !bytes.isEmpty else { return bytes }
    return compression.compressed(bytes)
  }
}
