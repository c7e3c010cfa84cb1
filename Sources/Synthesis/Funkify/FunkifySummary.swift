/// The counts of a synthetic export of Funkify.
package struct FunkifySummary: Codable, Hashable, Sendable {
  package var seed: UInt64
  /// The time of the newest follow, as RFC 3339 in UTC.
  package var newest: String
  /// The number of rows of each table, including broken ones.
  package var musicians = 0
  package var events = 0
  package var follows = 0
  package var attendances = 0
  package var posts = 0
  package var likes = 0
  package var comments = 0
  /// The number of rows by broken rule.
  package var musiciansBreaking: [BrokenRule: Int] = [:]
  package var eventsBreaking: [BrokenRule: Int] = [:]
  package var followsBreaking: [BrokenRule: Int] = [:]
  package var attendancesBreaking: [BrokenRule: Int] = [:]
  package var bytes = 0

  /// The number of rows that ingest must leave out as rejected, dangling or not allowed.
  package var rejected: Int {
    [musiciansBreaking, eventsBreaking, followsBreaking, attendancesBreaking]
      .reduce(0) { $0 + $1.rejected }
  }
}
