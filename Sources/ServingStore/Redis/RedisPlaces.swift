import Foundation
import Geohash

/// The positions of an entity in a generation of Redis.
///
/// GEO commands know latitudes up to 85.05 degrees and longitudes below 180, do not look across the antimeridian, round positions to about half a
/// metre, and take the earth for a sphere of 6 372.8 km. So a hash has the positions as they are: GEO commands narrow the search, and what they find is
/// measured anew.
struct RedisPlaces {
  private let connection: RedisConnection
  /// The hash, the GEO set, and the set of ids that the GEO set cannot hold.
  private let (positions, places, outside): ([UInt8], [UInt8], [UInt8])

  /// The limit of the Mercator projection that GEO commands use for their grid, rounded down, because they misplace points on the
  /// edge itself. Source: `GEO_LAT_MAX` in `geohash.h` of Redis 7.0.
  static let latitudeLimit = 85.05
  /// The radius in kilometers from which every position is compared. For circles of thousands of kilometers GEO commands miss
  /// some positions across the antimeridian or beyond 80 degrees.
  private static let largestRadius = 500.0
  /// Their radius of the earth by ours (6 372.797560856 by 6 371.0088), rounded up, and what they round positions by.
  private static let (scale, rounding) = (1.0003, 0.002)
  /// How many ids are looked up at once.
  private static let batch = 1_000

  init(_ connection: RedisConnection, _ keys: RedisKeys, generation: Int, entity: String) {
    self.connection = connection
    positions = keys.positions(of: generation, entity)
    places = keys.places(of: generation, entity)
    outside = keys.outside(of: generation, entity)
  }

  /// Whether GEO commands take a position.
  static func takes(_ position: Coordinate) -> Bool {
    abs(position.latitude) <= latitudeLimit && position.longitude < 180
  }

  /// A position in the form in which the hash stores it.
  static func json(_ position: Coordinate, _ cell: Geohash) -> [UInt8] {
    Array(
      "{\"latitude\":\(position.latitude),\"longitude\":\(position.longitude),\"geohash\":\"\(cell)\"}".utf8)
  }

  /// Where an id is.
  func position(of id: StoredID) throws -> Coordinate? {
    try connection.run("HGET", positions, id.utf8).bytes.flatMap(Self.position)
  }

  /// Whether an id is where searches look for it.
  func isFound(_ id: StoredID, _ position: Coordinate) throws -> Bool {
    Self.takes(position)
      ? try connection.run("ZSCORE", places, id.utf8).bytes != nil
      : try connection.run("SISMEMBER", outside, id.utf8) == .integer(1)
  }

  /// All entities within a radius, and some beyond it.
  func near(_ center: Coordinate, within radius: Double) throws -> [(id: StoredID, position: Coordinate)] {
    let box = BoundingBox(around: center, radiusInKilometers: radius)
    guard abs(center.latitude) <= Self.latitudeLimit, radius <= Self.largestRadius, box.longitudeSpan < 360
    else { return try all() }
    var ids = try search(latitude: center.latitude, longitude: center.longitude, radius)
    if box.west > box.east {
      // GEO commands do not search across the antimeridian. A point there within the radius of the center is also within the
      // radius of this point.
      let farSide = center.longitude > 0 ? -180.0 : 180
      ids.formUnion(try search(latitude: center.latitude, longitude: farSide, 2 * radius))
    }
    ids.formUnion(try connection.run("SMEMBERS", outside).elements?.compactMap(\.bytes) ?? [])
    return try positions(of: Array(ids))
  }

  /// The ids within a radius, and maybe some beyond.
  private func search(latitude: Double, longitude: Double, _ radius: Double) throws -> Set<[UInt8]> {
    let found = try connection.run(
      "GEOSEARCH", places, Array("FROMLONLAT".utf8), Array("\(longitude)".utf8), Array("\(latitude)".utf8),
      Array("BYRADIUS".utf8), Array("\(radius * Self.scale + Self.rounding)".utf8), Array("km".utf8))
    return Set(found.elements?.compactMap(\.bytes) ?? [])
  }

  private func positions(of ids: [[UInt8]]) throws -> [(id: StoredID, position: Coordinate)] {
    var found: [(id: StoredID, position: Coordinate)] = []
    for start in stride(from: 0, to: ids.count, by: Self.batch) {
      let batch = ids[start..<min(start + Self.batch, ids.count)]
      var command = RedisCommand("HMGET", positions)
      command.append(Array(batch))
      let values = try connection.run(command).elements ?? []
      for (id, value) in zip(batch, values) {
        if let position = value.bytes.flatMap(Self.position) { found.append((StoredID(utf8: id), position)) }
      }
    }
    return found
  }

  private func all() throws -> [(id: StoredID, position: Coordinate)] {
    // The same field may come twice.
    var found: [StoredID: Coordinate] = [:]
    var cursor = [UInt8](decimal: 0)
    repeat {
      let reply = try connection.run(
        "HSCAN", positions, cursor, Array("COUNT".utf8), [UInt8](decimal: Self.batch))
      guard let parts = reply.elements, parts.count == 2, let next = parts[0].bytes,
        let fields = parts[1].elements, fields.count.isMultiple(of: 2)
      else { preconditionFailure("HSCAN returns a cursor, fields and values") }
      for index in stride(from: 0, to: fields.count, by: 2) {
        guard let id = fields[index].bytes, let position = fields[index + 1].bytes.flatMap(Self.position)
        else { continue }
        found[StoredID(utf8: id)] = position
      }
      cursor = next
    } while cursor != [UInt8](decimal: 0)
    return found.map { ($0.key, $0.value) }
  }

  private struct Stored: Decodable {
    var latitude: Double
    var longitude: Double
    var geohash: String
  }

  /// The cell of a position from the hash.
  static func cell(_ json: [UInt8], _ address: StoreAddress) throws -> [UInt8] {
    guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(json)) else {
      throw RedisGenerations.damage("a position has a form that this program does not write", address)
    }
    return Array(stored.geohash.utf8)
  }

  private static func position(_ json: [UInt8]) -> Coordinate? {
    guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(json)) else { return nil }
    return Coordinate(latitude: stored.latitude, longitude: stored.longitude)
  }
}
