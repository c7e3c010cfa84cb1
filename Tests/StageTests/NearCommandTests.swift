import Foundation
import Geohash
import GRDB
import Testing
import TestSupport

/// Tests published positions and buckets, and `nightjar near`.
struct NearCommandTests {
  private static let positions = """
      attributes: { people: [field] }
      positions: { people: { exclude: [gone] } }
    """

  /// Returns the product with positions. All people are near the Brandenburg Gate, but Emil is
  /// deleted and Greta has no position.
  private func product(_ stores: String = "\"sqlite:serving.sqlite\"", positions: String = positions) throws
    -> SmallProduct
  {
    let product = try SmallProduct()
    try product.replace("  attributes: { people: [field] }\n", by: positions + "\n")
    try product.replace("\"sqlite:serving.sqlite\"", by: stores)
    let ended = try product.run()
    try #require(ended.ending == .status(0), "\(ended.errors)")
    return product
  }

  private func near(_ product: SmallProduct, _ arguments: String...) throws -> Program.Finished {
    try Program.run("nightjar", ["near"] + arguments + [product.pipelineFile, "--work", product.work])
  }

  /// Returns the ids ordered by distance. They are computed from the export, with positions snapped
  /// to precision 6.
  private func expected(_ latitude: Double, _ longitude: Double, within radius: Double) throws -> [String] {
    let center = try #require(Coordinate(latitude: latitude, longitude: longitude))
    return SmallProduct.people.split(separator: "\n").dropFirst().compactMap { line -> (String, Double)? in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard fields[5] == "false", let latitude = Double(fields[2]), let longitude = Double(fields[3]),
        let position = Coordinate(latitude: latitude, longitude: longitude)
      else { return nil }
      return (fields[0], center.distanceInKilometers(to: Geohash(position, precision: 6).center))
    }.filter { $0.1 <= radius }.sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
  }

  private static let stores =
    ["sqlite"] + (PostgreSQLServer.isAvailable ? ["postgresql"] : [])
    + (RedisServer.isAvailable ? ["redis"] : [])

  private func address(_ kind: String) throws -> String {
    switch kind {
    case "postgresql": try PostgreSQLServer.database()
    case "redis": "redis://127.0.0.1:\(try RedisServer.port())/\(RedisServer.database())"
    default: "sqlite:serving.sqlite"
    }
  }

  @Test(arguments: stores) func `finds entities within the radius, nearest first, in every store`(
    kind: String
  )
    throws
  {
    let product = try product("\"\(address(kind))\"")
    for radius in [0.5, 2, 5, 5_000, 20_000] {
      let ended = try near(product, "52.516", "13.377", "--radius-km", "\(radius)", "--json")
      #expect(ended.ending == .status(0), "\(ended.errors)")
      let ids = try ended.output.split(separator: "\n").map { line in
        try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])["id"] as? String
      }
      #expect(try ids == expected(52.516, 13.377, within: radius), "\(radius) km")
      #expect(ids.isEmpty == ended.errors.contains("has no positions within"))
    }
    let shown = try near(product, "52.516", "13.377", "--radius-km", "3", "--top", "1")
    #expect(
      shown.output.wholeMatch(of: #/  distance  id     attributes\n +\d+\.\d km  adaXQ  Technology\n/#)
        != nil, "\(shown.output)")
    // South of the equator, a latitude looks like an option.
    let south = try near(product, "-52.5", "-13.4", "--radius-km", "100", "--json")
    #expect(south.ending == .status(0) && south.output.isEmpty)
  }

  @Test func `equal positions are not published again, but positions with other exclusions are`() throws {
    let product = try product()
    #expect(try product.run().errors.contains("unchanged: generation 1"))
    try product.replace("{ people: { exclude: [gone] } }", by: "[people]")
    #expect(try product.run().ending == .status(0))
    let all = try near(product, "52.516", "13.377", "--radius-km", "100", "--json").output
    #expect(all.contains("emilXQ") && !all.contains("gretaXQ"))
  }

  @Test func `buckets count entities in a cell, by published category`() throws {
    let product = try product(
      positions: "  attributes: { people: [field, gone, years] }\n  positions: [people]\n")
    let rows = try DatabaseQueue(path: product.directory("serving.sqlite")).read { database in
      try Row.fetchAll(database, sql: "SELECT cell, bucket FROM served_buckets ORDER BY cell")
        .map { row in [row[0] as String, row[1] as String] }
    }
    var cells: [String: Int] = [:]
    var byField: [String: [String: Int]] = [:]
    for line in SmallProduct.people.split(separator: "\n").dropFirst() {
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard let latitude = Double(fields[2]), let longitude = Double(fields[3]),
        let position = Coordinate(latitude: latitude, longitude: longitude)
      else { continue }
      let cell = Geohash(position, precision: 6).description
      cells[cell, default: 0] += 1
      if !fields[1].isEmpty { byField[cell, default: [:]][fields[1], default: 0] += 1 }
    }
    #expect(rows.count == cells.count && byField.count > 1)
    for parts in rows {
      let bucket = try #require(JSONSerialization.jsonObject(with: Data(parts[1].utf8)) as? [String: Any])
      #expect(bucket["entities"] as? Int == cells[parts[0]])
      let center = try #require(Geohash(parts[0])?.center)
      #expect(
        bucket["latitude"] as? Double == center.latitude && bucket["longitude"] as? Double == center.longitude
      )
      let fields = (bucket["counts"] as? [String: [String: Int]])?["field"] ?? [:]
      #expect(fields == byField[parts[0]] ?? [:])
    }
  }

  @Test func `errors have their statuses and messages`() throws {
    let product = try product()
    #expect(try near(product, "52", "13", "--radius-km", "-1").ending == .status(64))
    #expect(try near(product, "91", "13", "--radius-km", "1").ending == .status(64))
    #expect(try near(product, "52", "13", "--radius-km", "1", "--entity", "dogs").ending == .status(66))
    let without = try SmallProduct()
    try #require(try without.run().ending == .status(0))
    let ended = try near(without, "52", "13", "--radius-km", "1")
    #expect(ended.ending == .status(66) && ended.errors.contains("publish.positions"))
    // These values in the pipeline file are invalid.
    for (positions, message) in [
      ("[dogs]", "dogs"), ("{ people: { exclude: [years] } }", "flag"),
      ("{ people: { but: [gone] } }", "but"),
    ] {
      try without.replace(
        "  attributes: { people: [field] }\n",
        by: "  attributes: { people: [field] }\n  positions: \(positions)\n")
      let ended = try without.run()
      #expect(ended.ending == .status(78) && ended.errors.contains(message), "\(ended.errors)")
      try without.replace("  positions: \(positions)\n", by: "")
    }
  }
}
