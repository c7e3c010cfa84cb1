package import Files

/// Synthetic exports of Finding Friends as Parse objects: travelers, their check-ins and their posts. Some
/// rows are broken on purpose.
package struct FriendsExport: SyntheticExport {
  /// The number of rows in `users.json`, without duplicates.
  package let users: Int
  /// The number of rows in `check_ins.json`, including broken ones.
  package let checkIns: Int
  package let seed: UInt64

  package var fileNames: [String] { ["users.json", "check_ins.json", "posts.json"] }

  /// The time of the newest check-in in every export, 2026-11-15T22:58:31Z, in milliseconds since 1970.
  package static let newestCheckIn = CivilTime.instant(
    year: 2026, month: 11, day: 15, hour: 22, minute: 58, second: 31)
  /// The number of calendar days with check-ins, including the day of the newest row.
  package static let days = 6

  /// Creates an export without writing it.
  ///
  /// - Parameters:
  ///   - users: The number of users, 10 to 1,000,000.
  ///   - checkIns: The number of check-ins: at least 10, and at most 100 per user.
  ///   - seed: Any number. A different seed gives different people.
  /// - Throws: `SynthesisError` if a size is out of its range.
  package init(users: Int, checkIns: Int, seed: UInt64) throws(SynthesisError) {
    try SynthesisError.check("users", users, in: 10...1_000_000)
    try SynthesisError.check("check-ins", checkIns, in: 10...100 * users, forUsers: users)
    self.users = users
    self.checkIns = checkIns
    self.seed = seed
  }

  /// - Complexity: O(n log n) time and O(n) memory for n rows.
  package func write(to files: inout ExportWriter, threads: Int) throws(FileError) -> FriendsSummary {
    let rhythm = DailyRhythm(end: Self.newestCheckIn, days: Int64(Self.days))
    var ids = ParseIdentities(seed: seed)
    let time = rhythm.start..<rhythm.end
    let travellers = Traveller.all(users, seed: seed, during: time, &ids)
    let world = FriendsWorld(travellers: travellers, rhythm: rhythm, seed: seed)
    var summary = FriendsSummary(seed: seed, newestCheckIn: CivilTime.text(Self.newestCheckIn, .none))
    let tables = [
      FriendsRows.users(of: world, &summary),
      FriendsRows.checkIns(checkIns, in: world, &ids, &summary),
      FriendsRows.posts(users * 3 / 5, in: world, &ids, &summary),
    ]
    for (name, rows) in zip(fileNames, tables) { try files.page(name, of: "results", rows) }
    summary.bytes = files.bytes
    return summary
  }
}
