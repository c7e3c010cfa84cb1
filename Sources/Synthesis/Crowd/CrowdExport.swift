internal import Concurrency
package import Files

/// A synthetic export of up to millions of people and their swipes, with a pipeline file.
///
/// City sizes follow Zipf's law. Most swipes are on people of the user's own city, some on people of
/// neighboring cities, and a few on other people. Hidden tastes determine the swipes, so that models have
/// something to learn. All rows are valid. Users are sorted by id, and swipes by time.
///
/// The same seed, sizes and build give the same bytes with any number of threads, because every person and
/// every session has a separate stream of random numbers. Parts of the text are generated and compressed in
/// parallel, and are written in order.
///
/// Do not use these exports to measure the quality of rankings, because their swipes follow the form of the
/// model.
package struct CrowdExport: SyntheticExport {
  package let users: Int
  /// The mean number of swipes per user. The total is exactly `users` times this number.
  package let swipesPerUser: Int
  package let seed: UInt64
  package let format: CrowdFormat
  package let compression: CrowdCompression?

  /// The end of the last day, 2025-12-31.
  private static let end = CivilTime.instant(
    year: 2025, month: 12, day: 31, hour: 23, minute: 59, second: 59)
  /// The number of calendar days with swipes.
  private static let days: Int64 = 120
  package static let mostUsers = 20_000_000
  package static let mostSwipes = 500_000_000

  /// Creates an export without writing it.
  ///
  /// - Parameters:
  ///   - users: The number of people, 20 to `mostUsers`.
  ///   - swipesPerUser: The mean number of swipes per user, 1 to an eighth of `users`. The total number of
  ///     swipes is at most `mostSwipes`.
  ///   - seed: Any number. A different seed gives different people.
  ///   - format: The format of both files.
  ///   - compression: The compression of both files; `nil` for none.
  /// - Throws: `SynthesisError` if a size is out of its range.
  package init(
    users: Int, swipesPerUser: Int, seed: UInt64, format: CrowdFormat, compression: CrowdCompression?
  ) throws(SynthesisError) {
    try SynthesisError.check("users", users, in: 20...Self.mostUsers)
    try SynthesisError.check(
      "swipes-per-user", swipesPerUser, in: 1...min(users / 8, Self.mostSwipes / users), forUsers: users)
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

  package var fileNames: [String] { [fileName("users"), fileName("swipes"), Self.pipelineFile] }

  /// Writes the users, the swipes and `pipeline.yaml`.
  ///
  /// - Complexity: O(n) time for n users and swipes. The memory is 24 bytes per user and 1 to 2 bytes per
  ///   swipe, plus a few parts of the text.
  package func write(to files: inout ExportWriter, threads: Int) throws(FileError) -> CrowdSummary {
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
    try files.file(fileName("users"), rows: users) { (file) throws(FileError) in
      try file.append(pack(Array(userRows.header.utf8)))
      try parallelInOrder(count: userRows.chunks, threads: threads) { (number) throws(FileError) in
        pack(userRows.text(ofChunk: number))
      } consume: { (bytes) throws(FileError) in
        try file.append(bytes)
      }
    }
    let swipeRows = CrowdSwipeRows(
      crowd: crowd, sessions: sessions, rhythm: rhythm, format: format, ids: ids)
    try files.file(fileName("swipes"), rows: users * swipesPerUser) { (file) throws(FileError) in
      try file.append(pack(Array(swipeRows.header.utf8)))
      try parallelInOrder(count: swipeRows.chunks.count, threads: threads) { (number) throws(FileError) in
        var text = swipeRows.text(ofChunk: number)
        text.bytes = pack(text.bytes)
        return text
      } consume: { (text) throws(FileError) in
        try file.append(text.bytes)
        summary.swipes += text.rows
        summary.likes += text.likes
        if let newest = text.newest { summary.newestSwipe = CivilTime.text(newest, .none) }
      }
    }
    summary.files = files.files
    try files.file(Self.pipelineFile) { (file) throws(FileError) in
      try file.append(
        CrowdPipelineFile.text(users: fileName("users"), swipes: fileName("swipes"), seed: seed))
    }
    return summary
  }

  /// Returns `bytes`, compressed unless `compression` is `nil`. An empty array stays empty.
  private func compressed(_ bytes: [UInt8]) -> [UInt8] {
    guard let compression, !bytes.isEmpty else { return bytes }
    return compression.compressed(bytes)
  }
}

/// The counts of a crowd's export.
package struct CrowdSummary: Codable, Hashable, Sendable {
  package var seed: UInt64
  package var users: Int
  /// The number of users without swipes.
  package var usersWithoutSwipes: Int
  /// The number of cities with people. `largestCity` is the number of people in the largest city.
  package var cities: Int
  package var largestCity: Int
  package var swipes = 0
  package var likes = 0
  /// The time of the newest swipe, as RFC 3339 in UTC. This time becomes the as-of time of a run.
  package var newestSwipe = ""
  /// The files of users and swipes, with their digests.
  package var files: [FileDigest] = []
}
