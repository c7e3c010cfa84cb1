package import Files
package import Ingest
internal import Text

/// A snapshot as of a cut, derived from a later snapshot. The value contains the new row of each original
/// row, and the counts of left-out rows.
package struct CutSnapshot: Sendable {
  /// The value in `rows` for a row that is left out.
  package static let noRow = InteractionSubset.noRow

  package let manifest: Manifest
  /// By entity, then by row of the original snapshot: the new row, or `noRow`. Kept rows stay in ascending
  /// order.
  package let rows: [String: [UInt32]]
  /// The counts by entity.
  package let entities: [String: Counts]
  /// The counts by kind of interaction or request.
  package let interactions: [String: SubsetCounts]

  /// The numbers of rows of an entity by outcome. Each row counts in either `kept` or `notYet`. Some kept
  /// rows also count in `earlier` or `unknown`.
  package struct Counts: Hashable, Sendable {
    package var kept = 0
    /// The number of rows left out because they were created after the cut.
    package var notYet = 0
    /// The number of rows kept in an earlier version.
    package var earlier = 0
    /// The number of rows kept although all their versions are after the cut.
    package var unknown = 0
  }
}

extension CutSnapshot.Counts {
  var json: JSONValue {
    [
      "kept": .integer(kept), "not_yet": .integer(notYet), "earlier": .integer(earlier),
      "unknown": .integer(unknown),
    ]
  }
}

extension SubsetCounts {
  var json: JSONValue {
    [
      "kept": .integer(kept), "left_out": .integer(leftOut), "without_entity": .integer(withoutEntity),
    ]
  }
}
