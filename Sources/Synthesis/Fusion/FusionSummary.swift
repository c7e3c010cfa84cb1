/// The counts of a synthetic export of Fusion.
///
/// Every row that is broken on purpose breaks exactly one rule. An end-to-end test can therefore compare the
/// counts by rule with the counts of ingest.
package struct FusionSummary: Codable, Hashable, Sendable {
  /// A person with two documents.
  package struct Duplicate: Codable, Hashable, Sendable {
    package var id: String
    /// The `businessField` of the document that ingest must keep: the newer document or, if both have the
    /// same `updatedAt`, the later document in the file. The other document has another field.
    package var businessField: String
    package var isTie: Bool
  }

  package var seed: UInt64
  /// The time of the newest valid swipe, as RFC 3339 in UTC and in milliseconds since 1970.
  package var newestSwipe: String
  package var newestSwipeInMilliseconds: Int64

  /// The number of documents in `users.json`, including duplicates and broken ones.
  package var documents = 0
  /// The number of distinct ids in these documents.
  package var users = 0
  /// The number of ids whose document is not rejected. The next four counts cover only these ids.
  package var validUsers = 0
  package var usersWithoutPosition = 0
  package var deletedUsers = 0
  package var usersWithoutSwipes = 0
  package var usersWithoutExperience = 0
  package var duplicates: [Duplicate] = []
  package var usersBreaking: [BrokenRule: Int] = [:]

  /// The number of rows in `swipes.csv` without the header, including broken ones.
  package var swipes = 0
  package var likes = 0
  package var passes = 0
  /// The number of swipes that reverse the user's earlier swipe on the same person.
  package var changesOfMind = 0
  /// The number of swipes on a person who had swiped on the user before.
  package var answers = 0
  /// The number of pairs of people whose latest swipes on each other are both likes.
  package var matches = 0
  package var swipesBreaking: [BrokenRule: Int] = [:]

  package var userBytes = 0
  package var swipeBytes = 0

  init(seed: UInt64, newestSwipe: Int64) {
    self.seed = seed
    newestSwipeInMilliseconds = newestSwipe
    self.newestSwipe = CivilTime.text(newestSwipe, .none)
  }

  /// The share of likes among the valid swipes, 0 to 1; `nil` without valid swipes.
  package var likeRate: Double? {
    likes + passes > 0 ? Double(likes) / Double(likes + passes) : nil
  }
}

extension FusionSummary: CustomStringConvertible {
  /// A few lines for human readers. Rules are in the order of `BrokenRule`.
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
        broken on purpose: \(list(usersBreaking))
      swipes.csv   \(swipes) swipes, \(swipeBytes) bytes, the newest at \(newestSwipe)
        \(likes) likes (\(percent)), \(passes) passes, \(answers) answers, \(changesOfMind) changes of mind, \
      \(matches) matches
        broken on purpose: \(list(swipesBreaking))
      """
  }
}
