internal import Concurrency
package import Files

/// Synthetic exports of Finding Friends: travellers, where they checked in, and what they posted, as Parse objects with a
/// little dirt.
///
/// Everything in them is invented. The same seed and sizes give the same bytes, with the reservation that
/// `FusionExport` makes.
package struct FriendsExport: Sendable {
  /// Rows in `users.json` but for those that stand twice.
  package let users: Int
  /// Rows in `check_ins.json`, bad ones included.
  package let checkIns: Int
  package let seed: UInt64

  package static let usersFile = "users.json"
  package static let checkInsFile = "check_ins.json"
  package static let postsFile = "posts.json"
  package static let files = [usersFile, checkInsFile, postsFile]

  /// The newest check-in of every export, 2026-11-15T22:58:31Z, in milliseconds since 1970: fixed, as that of Fusion is.
  package static let newestCheckIn = CivilTime.instant(
    year: 2026, month: 11, day: 15, hour: 22, minute: 58, second: 31)
  /// Calendar days with check-ins, that of the newest included.
  package static let days = 6

  /// An export that is still to be written.
  ///
  /// - Parameters:
  ///   - users: 10 to 1 000 000.
  ///   - checkIns: From 10 to 100 times the users.
  ///   - seed: Any number; another one gives other people.
  /// - Throws: `SynthesisError`.
  package init(users: Int, checkIns: Int, seed: UInt64) throws(SynthesisError) {
    guard (10...1_000_000).contains(users) else {
      throw SynthesisError(argument: "users", reason: "must be 10 to 1000000, not \(users)")
    }
    guard (10...100 * users).contains(checkIns) else {
      throw SynthesisError(
        argument: "check-ins", reason: "must be 10 to \(100 * users) for \(users) users, not \(checkIns)")
    }
    self.users = users
    self.checkIns = checkIns
    self.seed = seed
  }

  /// Writes the three files and returns what they hold.
  ///
  /// The directory, and what is missing above it, is made. Files of these names are replaced, after all are complete.
  ///
  /// - Complexity: O(n log n) in the rows, with memory for all of them.
  /// - Throws: `FileError`; no file was replaced then.
  package func write(into directory: String) throws(FileError) -> FriendsSummary {
    try ReplacedFiles.write(Self.files, into: directory) { (paths) throws(FileError) in
      let rhythm = DailyRhythm(end: Self.newestCheckIn, days: Int64(Self.days))
      var ids = ParseIdentities(seed: seed)
      let time = rhythm.start..<rhythm.end
      let travellers = Traveller.all(users, seed: seed, during: time, &ids)
      let world = FriendsWorld(travellers: travellers, rhythm: rhythm, seed: seed)
      var summary = FriendsSummary(seed: seed, newestCheckIn: CivilTime.text(Self.newestCheckIn, .none))
      let lines = [
        FriendsRows.users(of: world, &summary),
        FriendsRows.checkIns(checkIns, in: world, &ids, &summary),
        FriendsRows.posts(users * 3 / 5, in: world, &ids, &summary),
      ]
      for (path, (name, rows)) in zip(paths, zip(Self.files, lines)) {
        var file = try FileWriter(creating: path)
        // As a page of Parse's REST interface.
        try file.append("{\"results\":[\n")
        try file.append(rows.joined(separator: ",\n"))
        try file.append("\n]}\n")
        summary.bytes += try file.finish(as: name).bytes
      }
      return summary
    }
  }
}
