package import Files

/// A synthetic export of Funkify as the tree of a Realtime Database: musicians, bands, labels and events.
/// Some rows are broken on purpose.
package struct FunkifyExport: SyntheticExport {
  package let musicians: Int
  /// The approximate number of follows. The export has fewer follows if its cities have too few musicians.
  package let follows: Int
  package let seed: UInt64

  package var fileNames: [String] { ["export.json"] }

  /// The time of the newest follow in every export, 2026-11-15T22:30:00Z, in milliseconds since 1970.
  package static let newest = CivilTime.instant(year: 2026, month: 11, day: 15, hour: 22, minute: 30)
  /// The number of calendar days with actions, including the day of the newest row.
  package static let days = 60

  /// Creates an export without writing it.
  ///
  /// - Parameters:
  ///   - musicians: The number of musicians, 10 to 100,000.
  ///   - follows: The number of follows: at least 10, and at most 50 per musician.
  ///   - seed: Any number. A different seed gives different people.
  /// - Throws: `SynthesisError` if a size is out of its range.
  package init(musicians: Int, follows: Int, seed: UInt64) throws(SynthesisError) {
    try SynthesisError.check("users", musicians, in: 10...100_000)
    try SynthesisError.check("follows", follows, in: 10...50 * musicians, forUsers: musicians)
    self.musicians = musicians
    self.follows = follows
    self.seed = seed
  }

  /// - Complexity: O(n log n) time and O(n) memory for n rows.
  package func write(to files: inout ExportWriter, threads: Int) throws(FileError) -> FunkifySummary {
    var summary = FunkifySummary(seed: seed, newest: CivilTime.text(Self.newest, .none))
    let text = tables(&summary).map { table in
      RealtimeFields.quoted(table.name) + ":{\n" + table.members.joined(separator: ",\n") + "\n}"
    }
    try files.file(fileNames[0]) { (file) throws(FileError) in
      try file.append("{" + text.joined(separator: ",\n") + "}\n")
    }
    summary.bytes = files.bytes
    return summary
  }

  private func tables(_ summary: inout FunkifySummary) -> [FunkifyTree.Table] {
    let rhythm = DailyRhythm(end: Self.newest, days: Int64(Self.days))
    let world = FunkifyWorld(musicians: musicians, seed: seed, rhythm: rhythm)
    let (tree, deeds) = (FunkifyTree(world: world), FunkifyDeeds(world))
    var follows = deeds.follows(follows)
    // The last follow determines the as-of time.
    if !follows.isEmpty { follows[follows.count - 1].at = Self.newest }
    let posts = deeds.posts(musicians * 3 / 2)
    let likes = deeds.reactions(musicians * 3, to: posts, purpose: .funkifyLikes)
    let comments = deeds.reactions(musicians / 2, to: posts, purpose: .funkifyComments)
    let followed = tree.log(
      "follows", follows, target: "followed", words: ("follow", "unfollow"), id: { world.musicians[$0].id },
      &summary.followsBreaking)
    let attended = tree.log(
      "attendances", deeds.attendances(musicians * 3), target: "event", words: ("going", "not going"),
      id: { world.events[$0].id }, &summary.attendancesBreaking)
    (summary.follows, summary.attendances) = (followed.members.count, attended.members.count)
    return [
      tree.musicians(&summary),
      tree.groups("bands", prefix: "b", every: 12, names: ["Foxes", "Engines", "Lemons", "Parade"]),
      tree.groups("labels", prefix: "l", every: 60, names: ["Records", "Sound", "Tapes"]),
      tree.events(&summary), attended, followed, tree.posts(posts, &summary),
      tree.likes(likes, of: posts, &summary), tree.comments(comments, on: posts, &summary),
    ]
  }
}
