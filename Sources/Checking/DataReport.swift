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
  /// Entities, then check-ins, then interactions, each in order of names; only readable ones.
  package var sources: [Source] = []
  /// One for each ranking with a radius whose users and candidates could be read.
  package var reach: [Reach] = []
  package var expectations: [CheckedExpectation] = []
  /// The problems, one line each; if there are any, the status is 65 or worse.
  package var problems: [String] = []

  enum CodingKeys: String, CodingKey {
    case pipeline, sources, reach, expectations, problems
    case asOf = "as_of"
    case asOfFrom = "as_of_from"
    case snappedToPrecision = "snapped_to_precision"
  }

  /// One entity, kind of check-ins or kind of interaction. `read` is the sum of the other counts.
  package struct Source: Codable, Hashable, Sendable {
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
    /// By rule, merged rows as `duplicate_id` among them; the most frequent first.
    package var rules: [Rule]
    /// Fields that no record of a JSON export has.
    package var absentFields: [String]
    /// The columns of the kept rows.
    package var columns: [Column]
    /// Only for an entity with positions.
    package var positions: Positions?
    /// Only for interactions.
    package var pairs: Pairs?
    /// Only for check-ins: the number of kept ones that are too old to count.
    package var expired: Int?
    /// Only for interactions: the number of rows that the pipeline file ignores as no interactions.
    package var ignored: Int?
    /// Only for a source with `where`: rows of the export that it leaves out, and those that no source takes.
    package var leftOut: Int?
    package var leftOutByAll: Int?
    /// Only for requests with a minimum age: requests by users who are under age, and by users of unknown age.
    package var underAge: Int?
    package var ageUnknown: Int?

    enum CodingKeys: String, CodingKey {
      case name, kind, files, read, kept, merged, later, rejected, rules, columns, positions, pairs, expired
      case ignored
      case absentFields = "absent_fields"
      case leftOut = "left_out"
      case leftOutByAll = "left_out_by_all"
      case underAge = "under_age"
      case ageUnknown = "age_unknown"
    }
  }

  package struct Rule: Codable, Hashable, Sendable {
    package var rule: String
    package var rows: Int
    /// The first three rejected rows.
    package var examples: [Example]
  }

  /// A row that was not kept.
  package struct Example: Codable, Hashable, Sendable {
    package var file: String
    /// The unit of `number`: lines, elements or rows, from 1.
    package var unit: String
    package var number: Int
    /// Empty if the whole row is at fault.
    package var field: String
    /// Cut to 80 characters.
    package var value: String
  }

  package struct Positions: Codable, Hashable, Sendable {
    package var without: Int
    /// The number of nonempty cells of the snapping precision.
    package var cells: Int
  }

  /// The users and candidates of interactions, among the kept rows.
  package struct Pairs: Codable, Hashable, Sendable {
    package var users: Int
    package var candidates: Int
    /// Pairs of a user and a candidate with more than one interaction.
    package var repeated: Int
    /// Interactions per user, over users with at least one; nearest rank. 0 if there is none.
    package var medianPerUser: Int
    package var mostPerUser: Int

    enum CodingKeys: String, CodingKey {
      case users, candidates, repeated
      case medianPerUser = "median_per_user"
      case mostPerUser = "most_per_user"
    }
  }

  /// The number of candidates within the radius for each user of a ranking, without the user and excluded flags.
  package struct Reach: Codable, Hashable, Sendable {
    package var ranking: String
    package var kilometers: Double
    /// Users with a position.
    package var users: Int
    package var withoutPosition: Int
    /// The number of sampled users: all, or evenly spaced ones in the order of ids.
    package var sampled: Int
    /// Of the sampled users: the number without a candidate in reach, and quantiles (nearest rank; 0 for an empty sample).
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
