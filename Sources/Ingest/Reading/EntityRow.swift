package import Geohash
internal import Readers
internal import RunSchemas

/// One row of an export of entities.
///
/// It takes 56 bytes instead of 80 with optional times and a position, because these rows take much of the memory.
package struct EntityRow: Sendable {
  var number: Int
  private var createdOrMin = Int64.min
  private var updatedOrMin = Int64.min
  private var latitude = Double.nan
  private var longitude = Double.nan
  /// Rank of the owner among the ids of its entity; `EntityTable.noOwner` if the kind has none.
  var owner = EntityTable.noOwner
  /// The number of the file in `rejects`.
  var file: UInt32 = 0
  var unit: PlaceUnit

  init(number: Int, unit: PlaceUnit) {
    self.number = number
    self.unit = unit
  }

  /// Milliseconds since 1970 UTC, here and below; never `Int64.min`.
  package var created: Int64? {
    get { createdOrMin == .min ? nil : createdOrMin }
    set { createdOrMin = newValue ?? .min }
  }

  package var updated: Int64? {
    get { updatedOrMin == .min ? nil : updatedOrMin }
    set { updatedOrMin = newValue ?? .min }
  }

  /// Snapped to the center of its cell.
  package var position: Coordinate? {
    get { Coordinate(latitude: latitude, longitude: longitude) }
    set { (latitude, longitude) = (newValue?.latitude ?? .nan, newValue?.longitude ?? .nan) }
  }

  /// The time of this version. A row without one is older than any row with one.
  var changed: Int64 { updatedOrMin }
}
