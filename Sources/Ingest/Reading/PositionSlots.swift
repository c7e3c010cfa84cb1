internal import Geohash
internal import PipelineFile
internal import Readers

/// Extracts positions from records.
struct PositionSlots: Sendable {
  private let latitude: Int
  private let longitude: Int
  private let fields: Pipeline.PositionFields

  init(_ fields: Pipeline.PositionFields, in list: inout FieldSlots) {
    self.fields = fields
    latitude = list.position(of: fields.latitude)
    longitude = list.position(of: fields.longitude)
  }

  /// Returns the center of the cell that contains the position; `nil` if both coordinates are missing.
  ///
  /// - Throws: `bad_latitude` or `bad_longitude` if a coordinate is invalid, or if only one is missing.
  func snapped(_ record: borrowing Record, precision: Int) throws(RowRejected) -> Coordinate? {
    try snapped(record[latitude], record[longitude], precision: precision)
  }

  /// Returns the columns of both coordinates in `rows`.
  func fields(of rows: borrowing OrdinaryRows) -> (
    latitude: OrdinaryRows.Field, longitude: OrdinaryRows.Field
  ) {
    (rows.field(latitude), rows.field(longitude))
  }

  /// Returns the center of the cell for the values of the two fields, with the same result as for a record.
  @inline(__always)
  func snapped(
    _ latitude: FieldValue, _ longitude: FieldValue, precision: Int
  ) throws(RowRejected) -> Coordinate? {
    let north = try latitude.number(fields.latitude, .badLatitude, in: -90...90)
    let east = try longitude.number(fields.longitude, .badLongitude, in: -180...180)
    if north == nil && east == nil { return nil }
    guard let north else { throw latitude.rejected(.badLatitude, fields.latitude) }
    guard let east else { throw longitude.rejected(.badLongitude, fields.longitude) }
    guard let coordinate = Coordinate(latitude: north, longitude: east) else {
      preconditionFailure("coordinates in range were rejected")
    }
    return Geohash.center(around: coordinate, precision: precision)
  }

  /// Returns the center of the cell for a record that must have a position.
  ///
  /// - Throws: `missing_position` if both coordinates are missing; the errors of `snapped`.
  func needed(_ record: borrowing Record, precision: Int) throws(RowRejected) -> Coordinate {
    guard let position = try snapped(record, precision: precision) else {
      throw record[latitude].rejected(.missingPosition, fields.latitude)
    }
    return position
  }
}
