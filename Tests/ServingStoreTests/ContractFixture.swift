import Foundation
import Geohash
import Testing
import TestSupport

@testable import ServingStore

/// The back ends that run the contract suite. A new back end needs a case and a function that
/// creates an empty store.
enum Backend: String, CaseIterable, Sendable, CustomTestStringConvertible {
  case sqlite, postgresql, redis

  /// The back ends whose servers can run on this machine.
  static let allCases =
    [sqlite] + (PostgreSQLServer.isAvailable ? [postgresql] : []) + (RedisServer.isAvailable ? [redis] : [])

  var testDescription: String { rawValue }

  func makeFixture() throws -> ContractFixture {
    switch self {
    case .sqlite:
      let directory = try ScratchDirectory()
      return ContractFixture(
        address: StoreAddress(sqlitePath: directory.path + "/serving.sqlite"), keptAlive: directory)
    case .postgresql:
      return ContractFixture(
        address: try StoreAddress(parsing: PostgreSQLServer.database(), relativeTo: ""),
        keptAlive: self as AnyObject)
    case .redis:
      return ContractFixture(address: StoreAddress(try RedisEndpoint.unused()), keptAlive: self as AnyObject)
    }
  }
}

/// An empty store of one back end. Releasing this value removes the store.
struct ContractFixture {
  let address: StoreAddress
  /// Releasing this object removes the store.
  let keptAlive: AnyObject

  func publisher() throws -> any ServingStore {
    try address.open(for: .publishing)
  }

  func reader() throws -> any ServingStore {
    try address.open(for: .reading)
  }
}

extension RedisEndpoint {
  /// Returns an unused database of the Redis server that all tests share.
  static func unused() throws -> RedisEndpoint {
    RedisEndpoint(
      host: "127.0.0.1", port: Int32(try RedisServer.port()), database: RedisServer.database())
  }
}

struct Failure: Error, Equatable {}

extension GenerationLoader {
  func beginList(_ name: String) throws { try begin(.list, name) }
  func beginMatches(_ name: String) throws { try begin(.matches, name) }
  func beginPeople(_ entity: String) throws { try begin(.people, entity) }
  func beginPositions(_ entity: String) throws { try begin(.positions, entity) }
  func beginBuckets(_ entity: String) throws { try begin(.buckets, entity) }
  func beginCatalog(_ name: String) throws { try begin(.catalog, name) }

  func addDocument(_ document: String, user: StoredID) throws {
    try addDocument(Array(document.utf8).span, user: user.utf8.span)
  }

  func addDocument(_ document: Span<UInt8>, user: Span<UInt8>) throws {
    try add(.document(id: user, json: document))
  }

  func addMatch(_ user: StoredID, _ other: StoredID, at instant: String) throws {
    let instant = Array(instant.utf8)
    try add(.match(user: user.utf8.span, other: other.utf8.span, at: instant.span))
  }

  func addPerson(_ attributes: String, id: StoredID) throws {
    let attributes = Array(attributes.utf8)
    try add(.document(id: id.utf8.span, json: attributes.span))
  }

  /// Adds an exact position with its cell of precision 7.
  func addPosition(_ latitude: Double, _ longitude: Double, id: StoredID) throws {
    let position = try #require(Coordinate(latitude: latitude, longitude: longitude))
    try addPosition(position, cell: Geohash(position, precision: 7), id: id.utf8.span)
  }

  func addPosition(_ position: Coordinate, cell: Geohash, id: Span<UInt8>) throws {
    try add(.position(id: id, position, cell: cell))
  }

  func addBucket(_ bucket: String, cell: String) throws {
    try addBucket(Array(bucket.utf8).span, cell: #require(Geohash(cell)))
  }

  func addBucket(_ bucket: Span<UInt8>, cell: Geohash) throws {
    let cell = Array(cell.description.utf8)
    try add(.document(id: cell.span, json: bucket))
  }

  func addEntry(_ entry: String, key: StoredID) throws {
    let entry = Array(entry.utf8)
    try add(.entry(key: key.utf8.span, json: entry.span))
  }
}

extension ServingStore {
  /// Publishes a generation without a note.
  @discardableResult
  func publish(
    pipeline: String, run: Int, asOf: Int64, keep: Int, _ load: (GenerationLoader) throws -> Void
  ) throws -> PublishedGeneration {
    try publish(pipeline: pipeline, run: run, asOf: asOf, note: GenerationNote(), keep: keep, load)
  }

  /// Publishes one list `partners` with a document for each user, for the pipeline `fusion`.
  @discardableResult
  func publishPartners(
    _ documents: [StoredID: String], pipeline: String = "fusion", run: Int = 1, keep: Int = 3
  ) throws -> PublishedGeneration {
    try publish(pipeline: pipeline, run: run, asOf: 1_000 * Int64(run), keep: keep) { loader in
      try loader.beginList("partners")
      for (user, document) in documents.sorted(by: { $0.key < $1.key }) {
        try loader.addDocument(document, user: user)
      }
    }
  }

  func partners(_ user: StoredID, pipeline: String = "fusion") throws -> String? {
    try listDocument(pipeline: pipeline, list: "partners", user: user).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}

/// Ids that a faulty store could confuse, truncate or execute.
let hostileIDs: [StoredID] = [
  "u1", "U1", " u1", "u1 ", "u1\n", "'", "''", "\"", "\\", "\\u0000", "%", "_", "*", ";", "--",
  "'; DROP TABLE lists; --", "x' OR '1'='1", "\u{0}", "u\u{0}", "u\u{0}a", "u\u{0}b", "\u{1}", "\u{7F}",
  "\u{E9}", "e\u{301}", "\u{212B}", "\u{C5}", "A\u{30A}", "\u{1F600}", "\u{1F468}\u{200D}\u{1F469}",
  "\u{FEFF}u1", "\u{10FFFF}", "\u{FFFD}", "1", "01", "1.0", "1e0", "null", "NULL", "a,b", "a\"b",
  StoredID(String(repeating: "x", count: 5_000)),
]
