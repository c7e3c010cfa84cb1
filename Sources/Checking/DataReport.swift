internal import Columns
package import Ingest
package import Text

/// The content of a pipeline's exports: the figures of `nightjar check`.
package struct DataReport: Codable, Hashable, Sendable {
  package var pipeline: String
  package var asOf: Instant
  package var asOfFrom: String
  /// The precision to which positions are snapped before they are used.
  package var snappedToPrecision: Int
  /// Entities, then check-ins, interactions and requests, in the pipeline's order. Unreadable sources are
  /// missing.
  package var sources: [Source] = []
  /// The candidates in reach, for each ranking with a radius and without `pending`. Rankings with unreadable
  /// users or candidates are missing.
  package var reach: [Reach] = []
  package var expectations: [CheckedExpectation] = []
  /// The problems, one line each. If the array is not empty, the exit status is not 0.
  package var problems: [String] = []

  enum CodingKeys: String, CodingKey {
    case pipeline, sources, reach, expectations, problems
    case asOf = "as_of"
    case asOfFrom = "as_of_from"
    case snappedToPrecision = "snapped_to_precision"
  }

  /// The figures of one source: an entity, or one kind of check-ins, interactions or requests. `read` is the
  /// sum of `kept`, `merged`, `later`, `rejected`, `dangling`, `notAllowed`, `erased` and `ignored`.
  package struct Source: Codable, Hashable, Sendable {
    /// The kind of a source.
    package enum SourceKind: String, Codable, Sendable {
      case entity, interaction, requests
      case checkIns = "check_ins"
    }

    package var name: String
    package var kind: SourceKind
    package var files: [String]
    package var read: Int
    package var kept: Int
    package var merged: Int
    package var later: Int
    package var rejected: Int
    package var dangling = 0
    package var notAllowed = 0
    /// The number of rows that belong to erased people or refer to them.
    package var erased = 0
    /// The rules that rows broke, the rule with the most rows first. Rows that were merged because of a
    /// repeated id are included as `duplicate_id`.
    package var rules: [Rule]
    /// The fields that the pipeline file marks as optional, and that are absent from all records of a JSON
    /// export.
    package var absentFields: [String]
    /// The columns of the kept rows.
    package var columns: [Column]
    /// The positions of an entity; `nil` for an entity without positions, and for other sources.
    package var positions: Positions?
    /// The pairs of interactions or requests; `nil` for other sources.
    package var pairs: Pairs?
    /// The number of kept check-ins that have expired; `nil` for other sources.
    package var expired: Int?
    /// The number of interactions that the pipeline file ignores; `nil` for other sources.
    package var ignored: Int?
    /// The number of rows that the source leaves out because of its `where`; `nil` if it has no `where`.
    /// `leftOutByAll` is the number of these rows that every other source of the export leaves out too.
    package var leftOut: Int?
    package var leftOutByAll: Int?
    /// The time of the newest row that is not later than the as-of time; `nil` if the rows have no times. For
    /// an entity, this is the time of the newest creation or change of a kept row, and may be later than the
    /// as-of time.
    package var newest: Instant?

    enum CodingKeys: String, CodingKey {
      case name, kind, files, read, kept, merged, later, rejected, rules, columns, positions, pairs, expired
      case ignored, dangling, erased, newest
      case notAllowed = "not_allowed"
      case absentFields = "absent_fields"
      case leftOut = "left_out"
      case leftOutByAll = "left_out_by_all"
    }
  }

  /// The rows that broke one rule.
  package struct Rule: Codable, Hashable, Sendable {
    package var rule: String
    /// The outcome of the rows: `rejected`, `dangling`, `not_allowed` or `merged`.
    package var outcome: String
    package var rows: Int
    /// At most three of the rows that broke the rule.
    package var examples: [Example]
  }

  /// A row that was not kept.
  package struct Example: Codable, Hashable, Sendable {
    package var file: String
    /// The unit of `number`: line, element or row. `number` counts from 1.
    package var unit: String
    package var number: Int
    /// The name of the field; empty if the whole row is at fault.
    package var field: String
    /// The offending value, truncated to 80 characters.
    package var value: String
  }

  /// The numbers of rows without a position, and of cells that contain rows.
  package struct Positions: Codable, Hashable, Sendable {
    package var without: Int
    /// The number of cells with at least one row. Cells have the precision to which positions are snapped.
    package var cells: Int
  }

  /// The numbers of users, candidates and repeated pairs in the kept interactions or requests.
  package struct Pairs: Codable, Hashable, Sendable {
    package var users: Int
    package var candidates: Int
    /// The number of pairs of a user and a candidate with more than one row.
    package var repeated: Int
    /// The median number of rows per user, among users with at least one row (nearest rank); 0 without rows.
    package var medianPerUser: Int
    package var mostPerUser: Int

    enum CodingKeys: String, CodingKey {
      case users, candidates, repeated
      case medianPerUser = "median_per_user"
      case mostPerUser = "most_per_user"
    }
  }

  /// The distribution of the number of candidates within the radius, over the users of a ranking. The user's
  /// own candidates and excluded candidates do not count; see `CandidatesInReach`.
  package struct Reach: Codable, Hashable, Sendable {
    package var ranking: String
    package var kilometers: Double
    /// The number of users with a position.
    package var users: Int
    package var withoutPosition: Int
    /// The number of sampled users: all users with a position, or an evenly spaced sample in the order of
    /// their ids.
    package var sampled: Int
    /// The number of sampled users without a candidate in reach. The quantiles below use the nearest rank.
    /// They are 0 for an empty sample.
    package var withNone: Int
    package var tenthPercentile: Int
    package var median: Int
    package var ninetiethPercentile: Int

    enum CodingKeys: String, CodingKey {
      case ranking, users, sampled, median
      case kilometers = "within_km"
      case withoutPosition = "without_position"
      case withNone = "with_none"
      case tenthPercentile = "p10"
      case ninetiethPercentile = "p90"
    }
  }
}
