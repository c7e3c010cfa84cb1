internal import Concurrency
package import Files

/// Synthetic exports of Madra agus Cairde: owners and minders in one collection of accounts, dogs, and what minders decided
/// and owners answered, as Firestore documents with a little dirt.
///
/// Everything in them is invented. The same seed and sizes give the same bytes, with the reservation that
/// `FusionExport` makes.
package struct MadraExport: Sendable {
  /// Owners and minders: a third of them own dogs.
  package let users: Int
  /// At most so many swipes that are in order: fewer where minders have seen all dogs around them.
  package let swipes: Int
  package let seed: UInt64

  package static let accountsFile = "accounts.json"
  package static let dogsFile = "dogs.json"
  package static let swipesFile = "swipes.json"
  package static let files = [accountsFile, dogsFile, swipesFile]

  /// The newest swipe of every export, 2026-11-15T22:41:07Z, in milliseconds since 1970: fixed, as that of Fusion is.
  package static let newestSwipe = CivilTime.instant(
    year: 2026, month: 11, day: 15, hour: 22, minute: 41, second: 7)
  /// Calendar days with swipes, that of the newest included.
  package static let days = 90

  /// An export that is still to be written.
  ///
  /// - Parameters:
  ///   - users: 10 to 100 000.
  ///   - swipes: From 10 to 100 times the users.
  ///   - seed: Any number; another one gives other people.
  /// - Throws: `SynthesisError`.
  package init(users: Int, swipes: Int, seed: UInt64) throws(SynthesisError) {
    guard (10...100_000).contains(users) else {
      throw SynthesisError(argument: "users", reason: "must be 10 to 100000, not \(users)")
    }
    guard (10...100 * users).contains(swipes) else {
      throw SynthesisError(
        argument: "swipes", reason: "must be 10 to \(100 * users) for \(users) users, not \(swipes)")
    }
    self.users = users
    self.swipes = swipes
    self.seed = seed
  }

  /// Writes the three files and returns what they hold.
  ///
  /// The directory, and what is missing above it, is made. Files of these names are replaced, after all are complete.
  ///
  /// - Complexity: O(minders × dogs), with memory for all rows.
  /// - Throws: `FileError`; no file was replaced then.
  package func write(into directory: String) throws(FileError) -> MadraSummary {
    try ReplacedFiles.write(Self.files, into: directory) { (paths) throws(FileError) in
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
      let lines = [
        documents.accounts(&summary), documents.dogs(&summary), documents.swipes(swipes, &summary),
      ]
      for (path, (name, rows)) in zip(paths, zip(Self.files, lines)) {
        var file = try FileWriter(creating: path)
        // As a page of the REST interface.
        try file.append("{\"documents\":[\n")
        try file.append(rows.joined(separator: ",\n"))
        try file.append("\n]}\n")
        summary.bytes += try file.finish(as: name).bytes
      }
      return summary
    }
  }
}
