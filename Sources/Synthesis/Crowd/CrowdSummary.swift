package import Files

/// What a crowd's export holds, counted while it was written.
package struct CrowdSummary: Codable, Hashable, Sendable {
  package var seed: UInt64
  package var users: Int
  /// Users who swipe on nobody.
  package var usersWithoutSwipes: Int
  /// Cities that have people, and how many live in the largest.
  package var cities: Int
  package var largestCity: Int
  package var swipes = 0
  package var likes = 0
  /// RFC 3339 in UTC; that is the as-of time of a run.
  package var newestSwipe = ""
  /// The files, compressed if they are, with their digests.
  package var files: [FileDigest] = []
}
