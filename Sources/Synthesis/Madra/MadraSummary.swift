/// The counts of a synthetic export of Madra agus Cairde.
package struct MadraSummary: Codable, Hashable, Sendable {
  package var seed: UInt64
  /// The time of the newest swipe, as RFC 3339 in UTC.
  package var newestSwipe: String
  /// The number of documents of each file, including broken ones.
  package var accounts = 0
  package var dogs = 0
  package var swipes = 0
  package var owners = 0
  package var minders = 0
  /// The number of accounts that belong neither to owners nor to minders.
  package var otherAccounts = 0
  /// The number of swipes to the right by outcome.
  package var requests: [String: Int] = [:]
  /// The number of documents by broken rule. Duplicates count as `duplicate_id`. Swipes are counted
  /// separately as decisions, requests and answers.
  package var accountsBreaking: [BrokenRule: Int] = [:]
  package var dogsBreaking: [BrokenRule: Int] = [:]
  package var decisionsBreaking: [BrokenRule: Int] = [:]
  package var requestsBreaking: [BrokenRule: Int] = [:]
  package var answersBreaking: [BrokenRule: Int] = [:]
  package var bytes = 0
}
