internal import Geohash
internal import PipelineFile
internal import Readers
internal import RunSchemas
internal import Text

/// One check-in.
package struct CheckInRow: Sendable {
  /// The rank of the user's id.
  var user: UInt32
  var moment: Moment
  /// The position, snapped to the center of its cell.
  var position: Coordinate

  /// The time in milliseconds since 1970 UTC.
  package var at: Int64 { moment.milliseconds }
}

/// Check-ins, column by column.
package struct CheckInColumns: Sendable {
  package var rows: [CheckInRow] = []
  /// The ids of the check-ins, by index of the row.
  var ids = AttributeValues(.text)
  var attributes: [AttributeValues]

  init(_ checkIns: Pipeline.CheckIns) {
    attributes = checkIns.attributes.map { AttributeValues($0.type) }
  }

  /// Mappings from the words of these columns to the words of other columns, for `append`. Create them once
  /// for many rows.
  var words: [WordNumbers] { attributes.map { WordNumbers(of: $0) } }

  /// Appends the row at `index` of `others`. `words` is `others.words`, created before the first row.
  mutating func append(_ others: CheckInColumns, _ index: Int, _ words: inout [WordNumbers]) {
    rows.append(others.rows[index])
    let id = others.ids.ranges[index]
    ids.append(text: others.ids.blob.span.extracting(id))
    for attribute in attributes.indices {
      attributes[attribute].append(others.attributes[attribute], index..<index + 1, &words[attribute])
    }
  }

  /// Removes the values of an invalid row that were already appended.
  mutating func dropUnfinished() {
    ids.truncate(to: rows.count)
    for index in attributes.indices { attributes[index].truncate(to: rows.count) }
  }

  /// Returns whether the row at `index` is newer than the row at `place` of `others`. If the times are equal,
  /// the row with the greater id counts as newer.
  func isNewer(_ index: Int, than others: CheckInColumns, _ place: Int) -> Bool {
    let (moment, other) = (rows[index].moment, others.rows[place].moment)
    if moment != other { return moment > other }
    let (id, otherID) = (ids.ranges[index], others.ids.ranges[place])
    // If the ids are also equal, the row that was read last counts as newer.
    return !ByteOrder.precedes(ids.blob.span.extracting(id), others.ids.blob.span.extracting(otherID))
  }
}
