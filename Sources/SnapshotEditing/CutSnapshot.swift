package import Files
package import Ingest
internal import Text

/// A snapshot that was cut from a later one: where its rows came from, and what it lacks.
package struct CutSnapshot: Sendable {
  /// A row that went nowhere.
  package static let leftOut = InteractionSubset.leftOut

  package let manifest: Manifest
  /// By entity, then by row of the later snapshot: the row of this one, or `leftOut`. Ascending where it is not.
  package let rows: [String: [UInt32]]
  /// By entity.
  package let entities: [String: Counts]
  /// By kind.
  package let interactions: [String: SubsetCounts]

  /// What became of the rows of an entity: each is in `kept` or `notYet`.
  package struct Counts: Hashable, Sendable {
    package var kept = 0
    /// Left out: created after the cut.
    package var notYet = 0
    /// Kept, as an earlier version of the export has them.
    package var earlier = 0
    /// Kept, though every version was made after the cut.
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
