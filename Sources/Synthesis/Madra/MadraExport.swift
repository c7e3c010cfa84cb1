package import Files

/// Synthetic exports of Madra agus Cairde as Firestore documents: the accounts of owners and minders, the
/// dogs, and the swipes with minders' decisions and owners' answers. Some documents are broken on purpose.
package struct MadraExport: SyntheticExport {
  /// The number of owners and minders. A third of them own dogs.
  package let users: Int
  /// The maximum number of valid swipes. The export has fewer swipes if minders have seen all dogs near them.
  package let swipes: Int
  package let seed: UInt64

  package var fileNames: [String] { ["accounts.json", "dogs.json", "swipes.json"] }

  /// The time of the newest swipe in every export, 2026-11-15T22:41:07Z, in milliseconds since 1970.
  package static let newestSwipe = CivilTime.instant(
    year: 2026, month: 11, day: 15, hour: 22, minute: 41, second: 7)
  /// The number of calendar days with swipes, including the day of the newest row.
  package static let days = 90

  /// Creates an export without writing it.
  ///
  /// - Parameters:
  ///   - users: The number of owners and minders, 10 to 100,000.
  ///   - swipes: The maximum number of valid swipes: at least 10, and at most 100 per user.
  ///   - seed: Any number. A different seed gives different people.
  /// - Throws: `SynthesisError` if a size is out of its range.
  package init(users: Int, swipes: Int, seed: UInt64) throws(SynthesisError) {
    try SynthesisError.check("users", users, in: 10...100_000)
    try SynthesisError.check("swipes", swipes, in: 10...100 * users, forUsers: users)
    self.users = users
    self.swipes = swipes
    self.seed = seed
  }

  /// - Complexity: O(minders × dogs) time. The memory is O(n) for n rows, plus a list of nearby dogs for each
  ///   minder.
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
