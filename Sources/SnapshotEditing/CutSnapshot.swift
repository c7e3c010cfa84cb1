package import Files
package import Ingest
internal import Text

/// A snapshot that was cut from a later one, with the origin of its rows and the counts of what is left out.
package struct CutSnapshot: Sendable {
  /// The new row of a row that is left out.
  package static let leftOut = InteractionSubset.leftOut

  package let manifest: Manifest
  /// By entity, then by row of the later snapshot: the row of this one, or `leftOut`. The rows that are kept ascend.
  package let rows: [String: [UInt32]]
  /// By entity.
  package let entities: [String: Counts]
  /// By kind.
  package let interactions: [String: SubsetCounts]

  /// The rows of an entity by outcome: each is in `kept` or `notYet`.
  package struct Counts: Hashable, Sendable {
    package var kept = 0
    /// Left out: created after the cut.
    package var notYet = 0
    /// Kept, in an earlier version.
    package var earlier = 0
    /// Kept, although every version was made after the cut.
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
