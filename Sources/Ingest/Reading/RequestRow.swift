internal import Readers
package import RunSchemas
internal import Text

/// One request.
package struct RequestRow: Sendable {
  /// Ranks among the ids of the user's and the candidate's entity.
  package var user: UInt32
  package var candidate: UInt32
  /// Milliseconds since 1970 UTC.
  package var at: Int64
  /// When the request got its status; `Int64.min` if it is pending.
  var changed: Int64
  package var status: RequestStatus
  /// The place of the row in the files of the source. `RequestBlock` and `RequestRows` set it.
  var place = RowPlace(file: 0, unit: .row, number: 0)

  /// The request as it was at `moment`, without a later answer.
  func seen(at moment: Instant) -> RequestRow {
    guard changed > moment.milliseconds else { return self }
    var row = self
    row.status = .pending
    row.changed = .min
    return row
  }
}
