import Concurrency
import Geohash
import Testing

@testable import ServingStore

/// The rules for positions, buckets and catalogs that every back end must follow.
@Suite struct `Contract of places` {
  /// Places that a faulty search misses or finds twice.
  static let places: [(latitude: Double, longitude: Double)] = [
    (53.35, -6.26), (53.3499, -6.2601), (0, 0), (0, 180), (0, -180), (10, 179.9999), (10, -179.9999),
    (90, 0), (-90, 0), (89.999, 45), (89.999, -135), (-89.99, 100), (85.05112878, 20), (85.06, 20),
    (85.04, 20), (-85.06, -20), (-85.05, -20), (70, 179.5), (70, -179.5),
  ]

  private func publish(_ positions: [Coordinate], to store: any ServingStore) throws {
    try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
      try loader.beginList("partners")
      try loader.beginPositions("dogs")
      for (number, position) in positions.enumerated() {
        try loader.addPosition(
          position, cell: Geohash(position, precision: 7), id: "d\(number)".utf8Bytes.span)
      }
      try loader.beginPositions("cats")
      try loader.addPosition(53.35, -6.26, id: "d0")
    }
  }

  /// Returns random places: on the whole globe, in a town, and around the difficult places.
  private func positions(_ generator: inout SplitMix64) -> [Coordinate] {
    var positions = Self.places.map { ($0.latitude, $0.longitude) }
    for _ in 0..<300 {
      positions.append((.random(in: -90...90, using: &generator), .random(in: -180...180, using: &generator)))
      positions.append(
        (.random(in: 53.2...53.4, using: &generator), .random(in: -6.4 ... -6.1, using: &generator)))
      positions.append(
        (
          .random(in: -1...1, using: &generator),
          .random(in: 179...180, using: &generator) * (Bool.random(using: &generator) ? 1 : -1)
        ))
      positions.append((.random(in: 84...90, using: &generator), .random(in: -180...180, using: &generator)))
    }
    return positions.compactMap { Coordinate(latitude: $0.0, longitude: $0.1) }
  }

  @Test(arguments: Backend.allCases, [1, 2, 3, 4, 5, 6] as [UInt64])
  func `a circle contains the entities within it, nearest first, anywhere on the globe`(
    backend: Backend, seed: UInt64
  )
    throws
  {
    var generator = SplitMix64(seed: seed)
    let fixture = try backend.makeFixture()
    let positions = positions(&generator)
    try publish(positions, to: fixture.publisher())
    let centers = Self.places.compactMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) }
    let radii = [0, 0.02, 1.5, 25, 120, 300, 500, 1_999, 2_500, 9_000, 10_010, 20_016]
    try fixture.reader().read(pipeline: "fusion") { generation in
      for center in centers {
        let nearestFirst = positions.enumerated()
          .map { (id: StoredID("d\($0.offset)"), distance: center.distanceInKilometers(to: $0.element)) }
          .sorted { ($0.distance, $0.id) < ($1.distance, $1.id) }
        for radius in radii {
          let expected = nearestFirst.prefix { $0.distance <= radius }
          let found = try generation.positions(entity: "dogs", around: center, within: radius)
          #expect(found.map(\.id) == expected.map(\.id), "\(center), \(radius) km")
          #expect(found.map(\.distanceInKilometers) == expected.map(\.distance))
        }
      }
      // The radius includes its end exactly.
      for other in positions.prefix(40) {
        let distance = centers[0].distanceInKilometers(to: other)
        let within = try generation.positions(entity: "dogs", around: centers[0], within: distance)
        #expect(within.contains { $0.position == other })
        let less = try generation.positions(entity: "dogs", around: centers[0], within: distance.nextDown)
        #expect(!less.contains { $0.position == other && $0.distanceInKilometers == distance })
      }
    }
  }

  @Test(arguments: Backend.allCases)
  func `positions round-trip bit for bit, by kind of entity`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    var generator = SplitMix64(seed: 3)
    let positions = positions(&generator)
    try publish(positions, to: fixture.publisher())
    try fixture.reader().read(pipeline: "fusion") { generation in
      for (number, position) in positions.enumerated() {
        #expect(try generation.position(entity: "dogs", id: StoredID("d\(number)")) == position)
      }
      #expect(try generation.position(entity: "dogs", id: "nobody") == nil)
      #expect(try generation.position(entity: "cats", id: "d1") == nil)
      #expect(try generation.position(entity: "fish", id: "d1") == nil)
      let dublin = try #require(Coordinate(latitude: 53.35, longitude: -6.26))
      #expect(try generation.positions(entity: "cats", around: dublin, within: 20_016).map(\.id) == ["d0"])
      #expect(try generation.positions(entity: "fish", around: dublin, within: 20_016).isEmpty)
    }
  }

  @Test(arguments: Backend.allCases)
  func `hostile ids and keys round-trip and affect nothing else`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    let keys = hostileIDs.filter { !$0.utf8.contains(0) }
    let cell = try #require(Geohash("gc7x3r"))
    try store.publish(pipeline: "fusion", run: 1, asOf: 1, keep: 1) { loader in
      try loader.beginPositions("dogs")
      for id in hostileIDs { try loader.addPosition(53.35, -6.26, id: id) }
      try loader.beginBuckets("dogs")
      try loader.addBucket("{\"entities\":2}", cell: "gc7x3r")
      try loader.beginCatalog("by county: {x}")
      for (number, key) in keys.enumerated() {
        for rank in 1...3 { try loader.addEntry("[\(number),\(rank)]", key: key) }
      }
      try loader.beginCatalog("empty")
    }
    try store.read(pipeline: "fusion") { generation in
      let dublin = try #require(Coordinate(latitude: 53.35, longitude: -6.26))
      let found = try generation.positions(entity: "dogs", around: dublin, within: 0)
      #expect(found.map(\.id) == hostileIDs.sorted())
      for id in hostileIDs { #expect(try generation.position(entity: "dogs", id: id) == dublin) }
      #expect(try generation.bucket(entity: "dogs", cell: cell) == "{\"entities\":2}".utf8Bytes)
      #expect(try generation.bucket(entity: "cats", cell: cell) == nil)
      for (number, key) in keys.enumerated() {
        let entries = try generation.entries(catalog: "by county: {x}", key: key, 1..<9)
        #expect(entries == ["[\(number),2]".utf8Bytes, "[\(number),3]".utf8Bytes])
        #expect(try generation.entries(catalog: "by county: {x}", key: key, 3..<4).isEmpty)
        #expect(try generation.entries(catalog: "by county: {x}", key: key, 1..<1).isEmpty)
      }
      #expect(try generation.entries(catalog: "empty", key: "Cork", 0..<1).isEmpty)
      #expect(try generation.entries(catalog: "none", key: "Cork", 0..<1).isEmpty)
      #expect(try generation.entries(catalog: "by county: {x}", key: "x\u{0}", 0..<1).isEmpty)
    }
  }

  @Test(arguments: Backend.allCases)
  func `a dropped generation loses its places`(backend: Backend) throws {
    let fixture = try backend.makeFixture()
    let store = try fixture.publisher()
    let dublin = try #require(Coordinate(latitude: 53.35, longitude: -6.26))
    for run in 1...4 {
      try store.publish(pipeline: "fusion", run: run, asOf: 1, keep: 2) { loader in
        try loader.beginCatalog("by_county")
        try loader.addEntry("\(run)", key: "Cork")
        try loader.beginPositions("dogs")
        try loader.addPosition(53.35, -6.26, id: StoredID("d\(run)"))
        try loader.addPosition(88, -6.26, id: StoredID("p\(run)"))
      }
      let found = try store.read(pipeline: "fusion") { generation in
        #expect(try generation.entries(catalog: "by_county", key: "Cork", 0..<9) == ["\(run)".utf8Bytes])
        return try generation.positions(entity: "dogs", around: dublin, within: 20_016).map(\.id)
      }
      #expect(found == [StoredID("d\(run)"), StoredID("p\(run)")])
    }
    try store.serve(generation: 3, of: "fusion")
    let found = try store.read(pipeline: "fusion") {
      try $0.positions(entity: "dogs", around: dublin, within: 5).map(\.id)
    }
    #expect(found == ["d3"])
  }
}
