package import Columns
package import PipelineFile
package import RunSchemas
package import Text

/// Two people whose latest interactions with each other are both likes; or one who asked, and one who accepted.
package struct Match: Hashable, Sendable {
  /// The rows of both, the smaller id first; or first of whoever asked.
  package var first: UInt32
  package var second: UInt32
  /// Since when both have liked each other with nothing but likes in between; or since when it is accepted.
  package var since: Instant
}

/// All matches of one kind, with the ids of both sides.
package struct FoundMatches {
  package let matches: [Match]
  /// The ids that first and second rows mean.
  package let ids: StringColumn
  package let otherIDs: StringColumn

  /// - Parameters:
  ///   - list: What makes a match.
  ///   - pipeline: The pipeline file that it stands in.
  ///   - snapshot: The interactions or requests that it is about.
  ///   - threads: Workers over users; the result does not depend on it.
  package init(
    _ list: Pipeline.MatchList, _ pipeline: Pipeline, _ snapshot: Snapshot, threads: Int = 1
  ) {
    switch list.origin {
    case .mutual(let name):
      guard let kind = pipeline.interaction(name), let table = snapshot.interactions[name],
        let people = snapshot.entities[kind.user.entity]
      else { preconditionFailure("the snapshot does not hold '\(name)'") }
      (ids, otherIDs) = (people.ids, people.ids)
      matches = table.matches(threads: threads)
    case .accepted(let name):
      guard let kind = pipeline.requests(name), let askers = snapshot.entities[kind.user.entity],
        let addressees = snapshot.entities[pipeline.addressee(of: kind)]
      else { preconditionFailure("the snapshot does not hold '\(name)'") }
      (ids, otherIDs) = (askers.ids, addressees.ids)
      matches = snapshot.friendships(kind, pipeline)
    }
  }
}

extension InteractionTable {
  /// All matches, in the order of both ids.
  ///
  /// A like that repeats an earlier one does not move the time; a like after a pass, or after a value of 0, does.
  ///
  /// - Parameter threads: Workers over users; the result does not depend on it.
  /// - Returns: Each pair once.
  /// - Complexity: O(n) in the interactions, times a logarithm of how many one user has.
  package func matches(threads: Int = 1) -> [Match] {
    MutualLikes(self, threads: threads).matches(threads: threads)
  }
}

extension [Match] {
  static let header = ["user_id", "other_user_id", "matched_at"]

  /// Rows under the header above, times as RFC 3339 in UTC.
  ///
  /// - Parameters:
  ///   - ids: What first rows mean.
  ///   - others: What second rows mean.
  /// - Returns: The file.
  func csv(_ ids: StringColumn, _ others: StringColumn) -> [UInt8] {
    var text = CSVText()
    text.append(header: Self.header)
    for match in self {
      text.append(text: ids.bytes(Int(match.first)))
      text.append(text: others.bytes(Int(match.second)))
      text.append(plain: match.since.description)
      text.endRow()
    }
    return text.bytes
  }
}
