internal import Columns
package import Text

/// Two people whose latest interactions with each other are both likes, or a requester and the addressee who
/// accepted.
package struct Match: Hashable, Sendable {
  /// The rows of both sides: the smaller id first, or for requests the requester first.
  package var first: UInt32
  package var second: UInt32
  /// The start of the match: the time since which both sides have liked each other without a break, or the
  /// time of the acceptance.
  package var since: Instant
}

extension [Match] {
  static let header = ["user_id", "other_user_id", "matched_at"]

  /// Returns the CSV file of the matches: the `header`, and one row per match. Times are in RFC 3339 format,
  /// UTC.
  ///
  /// - Parameters:
  ///   - ids: The ids of the rows in `first`.
  ///   - others: The ids of the rows in `second`.
  /// - Returns: The bytes of the file.
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
