import Foundation
import Geohash

/// The positions of an entity in a generation in Redis.
///
/// GEO commands have limits. They accept latitudes up to 85.05 degrees and longitudes below 180, and do not
/// search across the antimeridian. They round positions to about half a meter and use an earth radius of
/// 6372.8 km. GEO commands therefore only narrow a search. Exact positions are in a hash, and this program
/// computes distances from them.
struct RedisPlaces {
  private let connection: RedisConnection
  /// The keys of the hash of positions, of the GEO set, and of the set of ids that the GEO set cannot
  /// contain.
  private let (positions, places, outside): ([UInt8], [UInt8], [UInt8])

  /// The latitude limit of GEO commands, in degrees. GEO commands use a Mercator projection and misplace
  /// points on the edge of the map, so the limit is rounded down. Source: `GEO_LAT_MAX` in `geohash.h` of
  /// Redis 7.0.
  static let latitudeLimit = 85.05
  /// The radius in kilometers above which all positions are compared. For circles of thousands of kilometers,
  /// GEO commands miss some positions across the antimeridian or beyond latitudes of 80 degrees.
  private static let largestRadius = 500.0
  /// `scale` is the ratio of Redis's earth radius (6372.797560856 km) to Nightjar's earth radius (6371.0088
  /// km), rounded up. `rounding` is a bound for the rounding of positions, in kilometers.
  private static let (scale, rounding) = (1.0003, 0.002)
  /// The number of ids that are looked up at once.
  private static let batch = 1_000

  init(_ connection: RedisConnection, _ keys: RedisKeys, generation: Int, entity: String) {
    self.connection = connection
    positions = keys.positions(of: generation, entity)
    places = keys.places(of: generation, entity)
    outside = keys.outside(of: generation, entity)
  }

  /// Returns whether GEO commands accept a position.
  static func takes(_ position: Coordinate) -> Bool {
    abs(position.latitude) <= latitudeLimit && position.longitude < 180
  }

  /// Returns the JSON of a position, as stored in the hash.
  static func json(_ position: Coordinate, _ cell: Geohash) -> [UInt8] {
    Array(
      "{\"latitude\":\(position.latitude),\"longitude\":\(position.longitude),\"geohash\":\"\(cell)\"}".utf8)
  }

  /// Returns the position of an id; `nil` if there is none.
  func position(of id: StoredID) throws -> Coordinate? {
    try connection.run("HGET", positions, id.utf8).bytes.flatMap(Self.position)
  }

  /// Returns whether a search at `position` can find an id.
  func isFound(_ id: StoredID, _ position: Coordinate) throws -> Bool {
    Self.takes(position)
      ? try connection.run("ZSCORE", places, id.utf8).bytes != nil
      : try connection.run("SISMEMBER", outside, id.utf8) == .integer(1)
  }

  /// Returns all ids and positions within a radius in kilometers, and possibly some beyond it.
  func near(_ center: Coordinate, within radius: Double) throws -> [(id: StoredID, position: Coordinate)] {
    let box = BoundingBox(around: center, radiusInKilometers: radius)
    guard abs(center.latitude) <= Self.latitudeLimit, radius <= Self.largestRadius, box.longitudeSpan < 360
    else { return try all() }
    var ids = try search(latitude: center.latitude, longitude: center.longitude, radius)
    if box.west > box.east {
      // GEO commands do not search across the antimeridian. A second search, around a point on the
      // antimeridian, finds the positions on the far side.
      let farSide = center.longitude > 0 ? -180.0 : 180
      ids.formUnion(try search(latitude: center.latitude, longitude: farSide, 2 * radius))
    }
    ids.formUnion(try connection.run("SMEMBERS", outside).elements?.compactMap(\.bytes) ?? [])
    return try positions(of: Array(ids))
  }

  /// Returns the ids in the GEO set within a radius in kilometers, and possibly some beyond it.
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
    // HSCAN may return a field twice.
    var found: [StoredID: Coordinate] = [:]
    try forEachBatch { rows in
      for (id, json) in rows {
        if let position = Self.position(json) { found[StoredID(utf8: id)] = position }
      }
    }
    return found.map { ($0.key, $0.value) }
  }

  /// Adds all positions to `digest`, each once. Records damage if a search could miss a position, or if the
  /// sets for searches contain another id.
  func add(to digest: inout GenerationDigest) throws {
    var seen: Set<Int> = []
    var (placed, others) = (0, Set<[UInt8]>())
    try forEachBatch { rows in
      var searched: [(id: [UInt8], position: Coordinate)] = []
      for (id, json) in rows where seen.insert(id.hashValue).inserted {
        let stored = try? JSONDecoder().decode(Stored.self, from: Data(json))
        digest.add(
          position: id, cell: Array((stored?.geohash ?? "").utf8), stored?.latitude, stored?.longitude)
        guard let position = Self.position(json) else { continue }
        if Self.takes(position) { searched.append((id, position)) } else { others.insert(id) }
      }
      placed += searched.count
      if try !arePlaced(searched) { digest.addDamage() }
    }
    let outsiders = try connection.run("SMEMBERS", outside).elements?.compactMap(\.bytes) ?? []
    if try connection.run("ZCARD", places).integer != placed || Set(outsiders) != others {
      digest.addDamage()
    }
  }

  /// Returns whether the GEO set contains the rows at their positions, except for the rounding of Redis.
  private func arePlaced(_ rows: [(id: [UInt8], position: Coordinate)]) throws -> Bool {
    guard !rows.isEmpty else { return true }
    var command = RedisCommand("GEOPOS", places)
    command.append(rows.map(\.id))
    let found = try connection.run(command).elements ?? []
    return found.count == rows.count
      && zip(found, rows).allSatisfy { reply, row in
        let angles = (reply.elements ?? []).compactMap { word in
          word.bytes.flatMap { Double(String(decoding: $0, as: UTF8.self)) }
        }
        guard angles.count == 2, let place = Coordinate(latitude: angles[1], longitude: angles[0])
        else { return false }
        return place.distanceInKilometers(to: row.position) <= Self.rounding
      }
  }

  /// Calls `body` with the ids and the JSON of positions, in batches. A position may occur twice.
  private func forEachBatch(_ body: ([(id: [UInt8], json: [UInt8])]) throws -> Void) throws {
    var cursor = [UInt8](decimal: 0)
    repeat {
      let reply = try connection.run(
        "HSCAN", positions, cursor, Array("COUNT".utf8), [UInt8](decimal: Self.batch))
      guard let parts = reply.elements, parts.count == 2, let next = parts[0].bytes,
        let fields = parts[1].elements, fields.count.isMultiple(of: 2)
      else { preconditionFailure("HSCAN did not return a cursor and fields") }
      var rows: [(id: [UInt8], json: [UInt8])] = []
      for index in stride(from: 0, to: fields.count, by: 2) {
        if let id = fields[index].bytes, let json = fields[index + 1].bytes { rows.append((id, json)) }
      }
      try body(rows)
      cursor = next
    } while cursor != [UInt8](decimal: 0)
  }

  private struct Stored: Decodable {
    var latitude: Double
    var longitude: Double
    var geohash: String
  }

  /// Returns the cell in the stored JSON of a position.
  static func cell(_ json: [UInt8], _ address: StoreAddress) throws -> [UInt8] {
    guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(json)) else {
      throw RedisGenerations.damage("a position is not in Nightjar's format", address)
    }
    return Array(stored.geohash.utf8)
  }

  private static func position(_ json: [UInt8]) -> Coordinate? {
    guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(json)) else { return nil }
    return Coordinate(latitude: stored.latitude, longitude: stored.longitude)
  }
}
