import Foundation
import StageFixture
import Testing

@testable import Ranking

/// Compares catalogs that are ordered by numbers and dates with a full sort.
@Suite struct CatalogOrderTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String { order }
    var order: String
    /// The values by which entries are sorted, and whether larger values come first.
    var keys: [(value: @Sendable (FlatWorld.Room) -> Double?, isDescending: Bool)]
  }

  static let cases = [
    Case(order: "[price asc]", keys: [({ $0.price }, false)]),
    Case(order: "price desc", keys: [({ $0.price }, true)]),
    Case(
      order: "[free, likes desc, size]",
      keys: [({ $0.free.map(Double.init) }, false), ({ Double($0.likes) }, true), ({ $0.size }, false)]),
    Case(order: "[price, newest]", keys: [({ $0.price }, false), ({ $0.free.map(Double.init) }, true)]),
  ]

  @Test(arguments: cases, 0..<4 as Range<UInt64>)
  func `entries equal a full sort`(example: Case, seed: UInt64) throws {
    let world = FlatWorld(seed: seed)
    let fixture = try StageFixture(
      yaml: FlatWorld.yaml(
        "  list: { catalog: rooms, by: town, exclude: [smoking], order_by: \(example.order), top: 20 }"
      ).replacing(
        "source: { path: rooms.jsonl }\n", with: "source: { path: rooms.jsonl }\n    created: free\n"),
      files: world.files)
    try fixture.runStages()
    let towns = Dictionary(grouping: world.rooms.filter { !$0.isSmoking && $0.town != nil }) {
      Array(($0.town ?? "").utf8)
    }
    let expected = towns.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { town, rooms in
      rooms.sorted { left, right in
        for (value, isDescending) in example.keys {
          let (first, second) = (value(left), value(right))
          guard first != second else { continue }
          guard let first, let second else { return second == nil }
          return isDescending ? first > second : first < second
        }
        return left.id < right.id
      }.prefix(20).map { Array(town) + Array("/\($0.id)".utf8) }
    }
    let rows = try fixture.rows("rankings/list.csv")
    #expect(rows.map { Array(($0[0] + "/" + $0[2]).utf8) } == expected)
    #expect(expected.count > 40)
  }

  @Test func `without creation times there is still an order`() throws {
    let fixture = try StageFixture(
      yaml: FlatWorld.yaml("  list: { catalog: rooms, by: features, order_by: [size desc] }"),
      files: FlatWorld(seed: 1).files)
    try fixture.runStages()
    #expect(try fixture.rows("rankings/list.csv").count > 100)
  }
}
