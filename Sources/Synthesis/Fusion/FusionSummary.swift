/// The counts of a synthetic export of Fusion.
///
/// An end-to-end test compares the counts by rule with those that ingest finds: every planted row breaks
/// exactly one rule.
package struct FusionSummary: Codable, Hashable, Sendable {
  /// A person with two documents, and the values in the one to keep.
  package struct Duplicate: Codable, Hashable, Sendable {
    package var id: String
    /// The newer document's `businessField`; the other document's is different. Of two documents with the
    /// same `updatedAt` the later in the file counts.
    package var businessField: String
    package var isTie: Bool
  }

  package var seed: UInt64
  /// The newest valid swipe: RFC 3339 in UTC, and milliseconds since 1970.
  package var newestSwipe: String
  package var newestSwipeInMilliseconds: Int64

  /// Documents in `users.json`, duplicates and bad ones included.
  package var documents = 0
  /// Different ids among them.
  package var users = 0
  /// Distinct ids whose document is not rejected. The four counts after it cover only these.
  package var validUsers = 0
  package var usersWithoutPosition = 0
  package var deletedUsers = 0
  package var usersWithoutSwipes = 0
  package var usersWithoutExperience = 0
  package var duplicates: [Duplicate] = []
  package var usersBreaking: [BrokenRule: Int] = [:]

  /// Rows in `swipes.csv`, bad ones included, without the header.
  package var swipes = 0
  package var likes = 0
  package var passes = 0
  /// Repeated swipes of a user on the same person, in the other direction than before.
  package var changesOfMind = 0
  /// Swipes on a person who had swiped on the user before.
  package var answers = 0
  /// Pairs of people who like each other, by the latest swipe of each on the other.
  package var matches = 0
  package var swipesBreaking: [BrokenRule: Int] = [:]

  package var userBytes = 0
  package var swipeBytes = 0

  init(seed: UInt64, newestSwipe: Int64) {
    self.seed = seed
    newestSwipeInMilliseconds = newestSwipe
    self.newestSwipe = CivilTime.text(newestSwipe, .none)
  }

  /// Likes among the valid swipes, 0 to 1; `nil` without a swipe.
  package var likeRate: Double? {
    likes + passes > 0 ? Double(likes) / Double(likes + passes) : nil
  }
}

extension FusionSummary: CustomStringConvertible {
  /// A few lines for a person; rules in the order of `BrokenRule`.
  package var description: String {
    func list(_ counts: [BrokenRule: Int]) -> String {
      let found = BrokenRule.allCases.compactMap { rule in counts[rule].map { "\(rule.rawValue) \($0)" } }
      return found.isEmpty ? "none" : found.joined(separator: ", ")
    }
    let percent = likeRate.map { "\(Int(($0 * 100).rounded())) %" } ?? "none"
    return """
      users.json   \(documents) documents of \(users) users, \(userBytes) bytes
        \(deletedUsers) deleted, \(usersWithoutPosition) without a position, \
      \(usersWithoutExperience) without experience, \(usersWithoutSwipes) without a swipe
        planted: \(list(usersBreaking))
      swipes.csv   \(swipes) swipes, \(swipeBytes) bytes, the newest at \(newestSwipe)
        \(likes) likes (\(percent)), \(passes) passes, \(answers) answers, \(changesOfMind) changes of mind, \
      \(matches) matches
        planted: \(list(swipesBreaking))
      """
  }
}
