package import Geohash
internal import Readers
internal import RunSchemas

/// One row of the export of an entity.
///
/// A row stores sentinels instead of optionals, so it takes 56 bytes instead of 80. These rows take much of
/// the memory.
package struct EntityRow: Sendable {
  var number: Int
  private var createdOrMin = Int64.min
  private var updatedOrMin = Int64.min
  private var latitude = Double.nan
  private var longitude = Double.nan
  /// The rank of the owner's id; `EntityTable.noOwner` if the row has no owner.
  var owner = EntityTable.noOwner
  /// The number of the row's file in the reject log.
  var file: UInt32 = 0
  /// The nanoseconds of the change time within its millisecond.
  private var updatedFiner: UInt32 = 0
  var unit: PlaceUnit

  init(number: Int, unit: PlaceUnit) {
    self.number = number
    self.unit = unit
  }

  /// The creation time in milliseconds since 1970 UTC; `nil` if it is missing.
  package var created: Int64? {
    get { createdOrMin == .min ? nil : createdOrMin }
    set { createdOrMin = newValue ?? .min }
  }

  /// The time of the last change in milliseconds since 1970 UTC; `nil` if it is missing.
  package var updated: Int64? { updatedOrMin == .min ? nil : updatedOrMin }

  /// The position, snapped to the center of its cell; `nil` if it is missing.
  package var position: Coordinate? {
    get { Coordinate(latitude: latitude, longitude: longitude) }
    set { (latitude, longitude) = (newValue?.latitude ?? .nan, newValue?.longitude ?? .nan) }
  }

  /// The time of this version in milliseconds since 1970 UTC; `Int64.min` if it is missing, so that any other
  /// version is newer.
  var changed: Int64 { updatedOrMin }

  /// The time of this version. It includes nanoseconds, so that versions of the same millisecond can be
  /// ordered.
  var version: Moment {
    get { Moment(milliseconds: updatedOrMin, finer: updatedFiner) }
    set { (updatedOrMin, updatedFiner) = (newValue.milliseconds, newValue.finer) }
  }
}
