internal import PipelineFile
package import Tables

/// Two people whose latest interactions with each other are both likes.
package struct Match: Hashable, Sendable {
  /// The rows of both, the smaller id first.
  package var first: UInt32
  package var second: UInt32
  /// Since when both have liked each other with nothing but likes in between.
  package var since: Instant
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

  /// Rows under the header above, the smaller id first, times as RFC 3339 in UTC.
  func csv(ids: StringColumn) -> [UInt8] {
    var text = CSVText()
    text.append(header: Self.header)
    for match in self {
      text.append(text: ids.bytes(Int(match.first)))
      text.append(text: ids.bytes(Int(match.second)))
      text.append(plain: match.since.description)
      text.endRow()
    }
    return text.bytes
  }
}
