internal import Columns
package import Text

/// Two people whose latest interactions with each other are both likes; or one who asked, and one who accepted.
package struct Match: Hashable, Sendable {
  /// The rows of both sides, the smaller id first; for requests, the requester first.
  package var first: UInt32
  package var second: UInt32
  /// Since when both have liked each other with nothing but likes in between; or since when it is accepted.
  package var since: Instant
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
