/// The counts of a synthetic export of Madra agus Cairde.
package struct MadraSummary: Codable, Hashable, Sendable {
  package var seed: UInt64
  /// RFC 3339 in UTC.
  package var newestSwipe: String
  /// Documents of each file, broken ones included.
  package var accounts = 0
  package var dogs = 0
  package var swipes = 0
  package var owners = 0
  package var minders = 0
  /// Accounts that are neither an owner's nor a minder's.
  package var otherAccounts = 0
  /// Swipes to the right by outcome.
  package var requests: [String: Int] = [:]
  /// Documents that break a rule, by rule; those that stand twice as `duplicate_id`. Swipes by what they are read as.
  package var accountsBreaking: [BrokenRule: Int] = [:]
  package var dogsBreaking: [BrokenRule: Int] = [:]
  package var decisionsBreaking: [BrokenRule: Int] = [:]
  package var requestsBreaking: [BrokenRule: Int] = [:]
  package var answersBreaking: [BrokenRule: Int] = [:]
  package var bytes = 0
}
