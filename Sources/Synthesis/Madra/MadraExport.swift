package import Files

/// Synthetic exports of Madra agus Cairde: owners and minders in one collection of accounts, dogs, and what minders decided
/// and owners answered, as Firestore documents. Some are broken on purpose.
package struct MadraExport: SyntheticExport {
  /// Owners and minders: a third of them own dogs.
  package let users: Int
  /// At most so many swipes that are in order: fewer where minders have seen all dogs around them.
  package let swipes: Int
  package let seed: UInt64

  package var fileNames: [String] { ["accounts.json", "dogs.json", "swipes.json"] }

  /// The newest swipe of every export, 2026-11-15T22:41:07Z, in milliseconds since 1970.
  package static let newestSwipe = CivilTime.instant(
    year: 2026, month: 11, day: 15, hour: 22, minute: 41, second: 7)
  /// Calendar days with swipes, including the day of the newest row.
  package static let days = 90

  /// An export that is still to be written.
  ///
  /// - Parameters:
  ///   - users: 10 to 100 000.
  ///   - swipes: From 10 to 100 times the users.
  ///   - seed: Any number; another one gives other people.
  /// - Throws: `SynthesisError`.
  package init(users: Int, swipes: Int, seed: UInt64) throws(SynthesisError) {
    try SynthesisError.check("users", users, in: 10...100_000)
    try SynthesisError.check("swipes", swipes, in: 10...100 * users, forUsers: users)
    self.users = users
    self.swipes = swipes
    self.seed = seed
  }

  /// - Complexity: O(minders × dogs), with memory for all rows.
  package func write(to files: inout ExportWriter, threads: Int) throws(FileError) -> MadraSummary {
    let rhythm = DailyRhythm(end: Self.newestSwipe, days: Int64(Self.days))
    let time = rhythm.start..<rhythm.end
    let owners = MadraPerson.all(
      users / 3, prefix: "owner", purpose: .madraOwners, seed: seed, during: time)
    let minders = MadraPerson.all(
      users - users / 3, prefix: "minder", purpose: .madraMinders, seed: seed, during: time)
    let dogs = Dog.all(of: owners, seed: seed, until: rhythm.end)
    let swipes = MadraSwipes(minders: minders, owners: owners, dogs: dogs, seed: seed, rhythm: rhythm)
      .all(swipes)
    let documents = MadraDocuments(owners: owners, minders: minders, dogs: dogs, seed: seed)
    var summary = MadraSummary(seed: seed, newestSwipe: CivilTime.text(Self.newestSwipe, .none))
    let tables = [
      documents.accounts(&summary), documents.dogs(&summary), documents.swipes(swipes, &summary),
    ]
    for (name, rows) in zip(fileNames, tables) { try files.page(name, of: "documents", rows) }
    summary.bytes = files.bytes
    return summary
  }
}
