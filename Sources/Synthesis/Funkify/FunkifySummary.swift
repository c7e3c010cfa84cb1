/// The counts of a synthetic export of Funkify.
package struct FunkifySummary: Codable, Hashable, Sendable {
  package var seed: UInt64
  /// RFC 3339 in UTC.
  package var newest: String
  /// Rows of each table, broken ones included.
  package var musicians = 0
  package var events = 0
  package var follows = 0
  package var attendances = 0
  package var posts = 0
  package var likes = 0
  package var comments = 0
  /// Rows that break a rule, by rule.
  package var musiciansBreaking: [BrokenRule: Int] = [:]
  package var eventsBreaking: [BrokenRule: Int] = [:]
  package var followsBreaking: [BrokenRule: Int] = [:]
  package var attendancesBreaking: [BrokenRule: Int] = [:]
  package var bytes = 0

  /// Rows that ingest must reject.
  package var rejected: Int {
    [musiciansBreaking, eventsBreaking, followsBreaking, attendancesBreaking]
      .reduce(0) { $0 + $1.rejected }
  }
}
