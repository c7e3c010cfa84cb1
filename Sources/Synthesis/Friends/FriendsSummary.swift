/// The counts of a synthetic export of Finding Friends.
package struct FriendsSummary: Codable, Hashable, Sendable {
  package var seed: UInt64
  /// The newest check-in but for those in the future: RFC 3339 in UTC.
  package var newestCheckIn: String
  /// Rows of each file, broken ones included.
  package var users = 0
  package var checkIns = 0
  package var posts = 0
  /// Rows that break a rule, by rule; duplicate rows as `duplicate_id`.
  package var usersBreaking: [BrokenRule: Int] = [:]
  package var checkInsBreaking: [BrokenRule: Int] = [:]
  package var postsBreaking: [BrokenRule: Int] = [:]
  /// Rows of the year 2099.
  package var later = 0
  package var bytes = 0

  /// Rows that ingest must reject.
  package var rejected: Int {
    usersBreaking.rejected + checkInsBreaking.rejected + postsBreaking.rejected
  }
}
