package import Geohash
internal import Readers
internal import RunSchemas

/// One row of an export of entities.
///
/// It stores sentinels instead of optionals, because these rows take much of the memory: a row takes 56 bytes
/// instead of 80.
package struct EntityRow: Sendable {
  var number: Int
  private var createdOrMin = Int64.min
  private var updatedOrMin = Int64.min
  private var latitude = Double.nan
  private var longitude = Double.nan
  /// The rank of the owner's id; `EntityTable.noOwner` if the entity has no owner.
  var owner = EntityTable.noOwner
  /// The number of the file in `rejects`.
  var file: UInt32 = 0
  /// The nanoseconds of `updated` after its millisecond.
  private var updatedFiner: UInt32 = 0
  var unit: PlaceUnit

  init(number: Int, unit: PlaceUnit) {
    self.number = number
    self.unit = unit
  }

  /// Times are in milliseconds since 1970 UTC, and never `Int64.min`.
  package var created: Int64? {
    get { createdOrMin == .min ? nil : createdOrMin }
    set { createdOrMin = newValue ?? .min }
  }

  package var updated: Int64? { updatedOrMin == .min ? nil : updatedOrMin }

  /// The position, snapped to the center of its cell.
  package var position: Coordinate? {
    get { Coordinate(latitude: latitude, longitude: longitude) }
    set { (latitude, longitude) = (newValue?.latitude ?? .nan, newValue?.longitude ?? .nan) }
  }

  /// The time of this version in milliseconds since 1970 UTC; `Int64.min` if it is missing, so that any other
  /// version is newer.
  var changed: Int64 { updatedOrMin }

  /// The time of this version, including finer digits, which order the versions of one millisecond.
  var version: Moment {
    get { Moment(milliseconds: updatedOrMin, finer: updatedFiner) }
    set { (updatedOrMin, updatedFiner) = (newValue.milliseconds, newValue.finer) }
  }
}
