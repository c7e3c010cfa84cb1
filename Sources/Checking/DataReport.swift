internal import Columns
package import Ingest
package import Text

/// What the exports of a pipeline hold: the figures of `nightjar check`. Its JSON is documented in ARCHITECTURE.md.
package struct DataReport: Codable, Hashable, Sendable {
  package var pipeline: String
  package var asOf: Instant
  package var asOfFrom: String
  /// The precision to which positions are snapped before anything is looked at.
  package var snappedToPrecision: Int
  /// Entities, then check-ins, then interactions, each in order of names, those that could be read.
  package var sources: [Source] = []
  /// One for each ranking with a radius whose users and candidates could be read.
  package var reach: [Reach] = []
  package var expectations: [CheckedExpectation] = []
  /// What is wrong, one line each: the status is 65 or worse where there is something.
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
    /// By rule, merged rows as `duplicate_id` among them; most first.
    package var rules: [Rule]
    /// Fields that no record of a JSON export has.
    package var absentFields: [String]
    /// Over the rows kept.
    package var columns: [Column]
    /// Of an entity with positions.
    package var positions: Positions?
    /// Of interactions.
    package var pairs: Pairs?
    /// Of check-ins: how many of those kept are too old to count.
    package var expired: Int?
    /// Of interactions: how many rows are none, as the pipeline file says.
    package var ignored: Int?
    /// Of a source with `where`: rows of the export that it leaves out, and those that no source takes.
    package var leftOut: Int?
    package var leftOutByAll: Int?
    /// Of requests with a minimum age: those by somebody too young, and those by somebody of whom nobody knows.
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
    /// The first three.
    package var examples: [Example]
  }

  /// A row that was not kept.
  package struct Example: Codable, Hashable, Sendable {
    package var file: String
    /// What `number` counts: lines, elements or rows, from 1.
    package var unit: String
    package var number: Int
    /// Empty where the whole row is at fault.
    package var field: String
    /// Cut to 80 characters.
    package var value: String
  }

  package struct Positions: Codable, Hashable, Sendable {
    package var without: Int
    /// How many different cells of the snapping precision are inhabited.
    package var cells: Int
  }

  /// Who interacted with whom, among the rows kept.
  package struct Pairs: Codable, Hashable, Sendable {
    package var users: Int
    package var candidates: Int
    /// Pairs of a user and a candidate with more than one interaction.
    package var repeated: Int
    /// Interactions per user, over users with one at least; nearest rank. 0 where there is none.
    package var medianPerUser: Int
    package var mostPerUser: Int

    enum CodingKeys: String, CodingKey {
      case users, candidates, repeated
      case medianPerUser = "median_per_user"
      case mostPerUser = "most_per_user"
    }
  }

  /// How many candidates each user of a ranking has within its radius, oneself and excluded flags left out.
  package struct Reach: Codable, Hashable, Sendable {
    package var ranking: String
    package var kilometers: Double
    /// Users with a position.
    package var users: Int
    package var withoutPosition: Int
    /// How many of them were looked at: all, or evenly spaced ones in the order of ids.
    package var sampled: Int
    /// Of those looked at: how many have nobody in reach, and quantiles (nearest rank; 0 where nobody was looked at).
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
