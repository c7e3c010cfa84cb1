internal import Readers
package import RunSchemas
internal import Text

/// One request.
package struct RequestRow: Sendable {
  /// The rank of the user's id among the ids of the user's entity.
  package var user: UInt32
  /// The rank of the candidate's id among the ids of the candidate's entity.
  package var candidate: UInt32
  var asked: Moment
  /// The time at which the request got its status; `Int64.min` milliseconds if it is pending.
  var answered = Moment(milliseconds: .min)
  package var status: RequestStatus
  /// The place of the row in the files of the source. `RequestBlock` and `RequestRows` set it.
  var place = RowPlace(file: 0, unit: .row, number: 0)

  /// The time of the request in milliseconds since 1970 UTC. `changed` is the time of the answer.
  package var at: Int64 { asked.milliseconds }
  var changed: Int64 { answered.milliseconds }

  /// Returns the request as it was at `moment`, without a later answer.
  func seen(at moment: Instant) -> RequestRow {
    guard changed > moment.milliseconds else { return self }
    var row = self
    row.status = .pending
    row.answered = Moment(milliseconds: .min)
    return row
  }
}
