internal import Geohash
internal import PipelineFile
internal import Readers

/// Extracts positions from records.
struct PositionSlots: Sendable {
  /// The slots of the fields with the latitude and the longitude. If one field contains both coordinates,
  /// both slots are equal.
  private let latitude: Int
  private let longitude: Int
  private let fields: Pipeline.PositionFields

  init(_ fields: Pipeline.PositionFields, in list: inout FieldSlots) {
    self.fields = fields
    switch fields {
    case .coordinates(let north, let east):
      latitude = list.position(of: north)
      longitude = list.position(of: east)
    case .point(let field, _):
      latitude = list.position(of: field)
      longitude = latitude
    }
  }

  /// Returns the center of the cell that contains the position; `nil` if both coordinates are missing.
  ///
  /// - Throws: `bad_latitude` or `bad_longitude` if a coordinate is invalid, or if only one is missing;
  ///   `bad_point` if a field for both coordinates does not contain a point.
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
    let coordinate =
      switch fields {
      case .coordinates(let north, let east): try Self.coordinate(latitude, north, longitude, east)
      case .point(let field, let order): try Self.coordinate(latitude, field, order)
      }
    return coordinate.map { Geohash.center(around: $0, precision: precision) }
  }

  @inline(__always)
  private static func coordinate(
    _ latitude: FieldValue, _ latitudeField: String, _ longitude: FieldValue, _ longitudeField: String
  ) throws(RowRejected) -> Coordinate? {
    let north = try latitude.number(latitudeField, .badLatitude, in: -90...90)
    let east = try longitude.number(longitudeField, .badLongitude, in: -180...180)
    if north == nil && east == nil { return nil }
    guard let north else { throw latitude.rejected(.badLatitude, latitudeField) }
    guard let east else { throw longitude.rejected(.badLongitude, longitudeField) }
    guard let coordinate = Coordinate(latitude: north, longitude: east) else {
      preconditionFailure("coordinates in range were rejected")
    }
    return coordinate
  }

  private static func coordinate(
    _ value: FieldValue, _ field: String, _ order: Pipeline.PointOrder
  ) throws(RowRejected) -> Coordinate? {
    if value.isMissing { return nil }
    guard let (first, second) = PointNotation.numbers(value, isWKT: order == .wkt) else {
      throw value.rejected(.badPoint, field)
    }
    let (north, east) = order == .latitudeFirst ? (first, second) : (second, first)
    guard (-90...90).contains(north) else { throw value.rejected(.badLatitude, field) }
    guard (-180...180).contains(east) else { throw value.rejected(.badLongitude, field) }
    return Coordinate(latitude: north, longitude: east)
  }

  /// Returns the center of the cell for a record that must have a position.
  ///
  /// - Throws: `missing_position` if both coordinates are missing; the errors of `snapped`.
  func needed(_ record: borrowing Record, precision: Int) throws(RowRejected) -> Coordinate {
    guard let position = try snapped(record, precision: precision) else {
      throw record[latitude].rejected(.missingPosition, fields.names[0])
    }
    return position
  }
}

extension Pipeline.PositionFields {
  /// The fields that may contain a list. Each value is the separator for a list in text form.
  var lists: [String: String] {
    if case .point(let field, _) = self { [field: ","] } else { [:] }
  }
}
