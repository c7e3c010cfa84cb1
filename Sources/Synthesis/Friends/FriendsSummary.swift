/// The counts of a synthetic export of Finding Friends.
package struct FriendsSummary: Codable, Hashable, Sendable {
  package var seed: UInt64
  /// The time of the newest check-in that is not in the future, as RFC 3339 in UTC.
  package var newestCheckIn: String
  /// The number of rows of each file, including broken ones.
  package var users = 0
  package var checkIns = 0
  package var posts = 0
  /// The number of rows by broken rule. Duplicate rows count as `duplicate_id`.
  package var usersBreaking: [BrokenRule: Int] = [:]
  package var checkInsBreaking: [BrokenRule: Int] = [:]
  package var postsBreaking: [BrokenRule: Int] = [:]
  /// The number of rows in the year 2099.
  package var later = 0
  package var bytes = 0

  /// The number of rows that ingest must leave out as rejected, dangling or not allowed.
  package var rejected: Int {
    usersBreaking.rejected + checkInsBreaking.rejected + postsBreaking.rejected
  }
}
