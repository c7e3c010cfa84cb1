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
  /// - Complexity: O(n log n) in the interactions.
  package func matches() -> [Match] {
    var likes: [UInt64: Int64] = [:]
    for user in 0..<userOffsets.count - 1 {
      for index in range(ofUser: user) {
        let pair = UInt64(user) << 32 | UInt64(candidate[index])
        if value[index] > 0 {
          if likes[pair] == nil { likes[pair] = at[index] }
        } else {
          likes[pair] = nil
        }
      }
    }
    var matches: [Match] = []
    for (pair, liked) in likes {
      let (user, candidate) = (UInt32(pair >> 32), UInt32(truncatingIfNeeded: pair))
      guard user < candidate, let likedBack = likes[UInt64(candidate) << 32 | UInt64(user)] else { continue }
      matches.append(
        Match(first: user, second: candidate, since: Instant(milliseconds: max(liked, likedBack))))
    }
    return matches.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
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
