import Columns
import Files
import Testing
import TestSupport
import Text

@testable import RunSchemas

/// The rows of an entity: their attributes, and the version in force at a time.
@Suite struct EntityTableTests {
  private static let schema = EntitySchema(
    name: "people", hasPosition: true, hasCreated: true, hasUpdated: true, owner: "clubs",
    attributes: [
      "word": .category, "size": .number, "open": .flag, "bio": .text, "likes": .tags, "born": .date,
      "slots": .intervals,
    ], computed: ["mean"])

  private static let words = ["x", "y"].map { Array($0.utf8) }

  private static func writeAttributes(_ folder: String, rows: Int, to directory: inout StageDirectory) throws
  {
    let place = folder + "attributes/"
    func first<Value>(_ value: Value, _ others: Value) -> [Value] {
      [value] + Array(repeating: others, count: rows - 1)
    }
    try CategoryColumn.write(first(1, 0), in: words, to: place + "word", in: &directory)
    try Column.write(first(1.5, .nan), to: place + "size.npy", in: &directory)
    try Column.write(first(1, 0) as [UInt8], to: place + "open.npy", in: &directory)
    try StringColumn.write(first(Array("hi".utf8), []), to: place + "bio", in: &directory)
    try TagColumn.write(first([0, 1], []), in: words, to: place + "likes", in: &directory)
    try Column.write(first(5, .min) as [Int64], to: place + "born.npy", in: &directory)
    try IntervalColumn.write(first([1..<2], []), to: place + "slots", in: &directory)
  }

  /// Ann was created at 10 and changed at 20 and 30. Ben has no times. Cid was created at 15; both known
  /// versions are newer. Dot has a changed creation time.
  private static func write(
    created: [Int64] = [10, .min, 15, 5], owner: [UInt32] = [1, EntityTable.noOwner, 0, 0],
    earlierOwner: [UInt32] = [0, 1, 1, EntityTable.noOwner], to directory: inout StageDirectory
  ) throws {
    try StringColumn.write(
      ["ann", "ben", "cid", "dot"].map { Array($0.utf8) }, to: "id", in: &directory)
    try Column.write([1, 2, 3, .nan], to: "latitude.npy", in: &directory)
    try Column.write([4, 5, 6, .nan], to: "longitude.npy", in: &directory)
    try Column.write(created, to: "created.npy", in: &directory)
    try Column.write([30, .min, 50, 40] as [Int64], to: "updated.npy", in: &directory)
    try Column.write(owner, to: "owner.npy", in: &directory)
    try writeAttributes("", rows: 4, to: &directory)
    try Column.write([1, 2, 3, 4], to: "computed/mean.npy", in: &directory)
    try Column.write([0, 0, 2, 3] as [UInt32], to: "earlier/row.npy", in: &directory)
    try Column.write([10, 20, 40, 1] as [Int64], to: "earlier/updated.npy", in: &directory)
    try Column.write([10, 10, 15, 25] as [Int64], to: "earlier/created.npy", in: &directory)
    try Column.write([7, 8, 9, 9], to: "earlier/latitude.npy", in: &directory)
    try Column.write([7, 8, 9, 9], to: "earlier/longitude.npy", in: &directory)
    try Column.write(earlierOwner, to: "earlier/owner.npy", in: &directory)
    try writeAttributes("earlier/", rows: 4, to: &directory)
  }

  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func table(_ schema: EntitySchema = schema) throws -> EntityTable {
    try scratch.stage("people") { try Self.write(to: &$0) }
    return try EntityTable(scratch("people"), schema)
  }

  @Test func `each attribute is found by its name, with its type`() throws {
    let table = try table()
    #expect(table.count == 4 && table.row(of: "cid") == 2 && table.row(of: "eve") == nil)
    let names = ["word", "size", "open", "bio", "likes", "born", "slots", "mean"]
    let values = names.map { name in
      var text = JSONText()
      table.attribute(name)?.append(0, to: &text)
      return String(decoding: text.bytes, as: UTF8.self)
    }
    #expect(
      values == [
        "\"y\"", "1.5", "true", "\"hi\"", "[\"x\",\"y\"]", "\"1970-01-01T00:00:00.005Z\"",
        "[{\"from\":\"1970-01-01T00:00:00.001Z\",\"to\":\"1970-01-01T00:00:00.002Z\"}]", "1.0",
      ])
    #expect(table.attribute("none") == nil && table.number("mean")?[1] == 2)
    #expect(table.latitude?[1] == 2 && table.longitude?[1] == 5 && table.owner?[0] == 1)
    #expect(table.earlier?.latitude?[1] == 8 && table.earlier?.longitude?[1] == 8)
    #expect(table.earlier?.owner?[1] == 1)
  }

  @Test func `columns that the schema does not name are not read`() throws {
    let table = try table(EntitySchema(name: "people", hasPosition: false, attributes: [:]))
    #expect(table.latitude == nil && table.longitude == nil && table.created == nil && table.updated == nil)
    #expect(table.owner == nil && table.earlier == nil && table.attribute("mean") == nil)
  }

  @Test func `the newest version up to a time is in force, and decides the creation`() throws {
    let table = try table()
    for (row, time, expected) in [
      (0, 9, .notYet), (0, 10, .earlier(0)), (0, 19, .earlier(0)), (0, 20, .earlier(1)), (0, 30, .current),
      (1, .min, .current), (2, 14, .notYet), (2, 15, .unknown), (2, 40, .earlier(2)), (2, 50, .current),
      (3, 24, .notYet), (3, 25, .earlier(3)), (3, 40, .current),
    ] as [(Int, Int64, EntityVersion)] {
      #expect(table.version(of: row, at: time) == expected, "row \(row) at \(time)")
    }
  }

  @Test(
    arguments: [
      ("latitude.npy", [1, 2, 91, 3]), ("longitude.npy", [1, 2, 3, -181]), ("computed/mean.npy", [1]),
      ("attributes/size.npy", [1]), ("earlier/latitude.npy", [1, 2, 91, 3]),
      ("earlier/longitude.npy", [1, 2, 3, 181]),
    ] as [(String, [Double])])
  func `positions out of range and columns of another length are damage`(name: String, values: [Double])
    throws
  {
    _ = try table()
    try scratch.replace(name, of: "people", by: values)
    let error = #expect(throws: FileError.self) { try EntityTable(scratch("people"), Self.schema) }
    #expect(error?.path == scratch("people/" + name) && error?.operation == .read)
  }

  @Test(
    arguments: [
      ([1, EntityTable.noOwner, 0, 0], [0, 1, 1, EntityTable.noOwner], nil),
      ([2, 0, 0, 0], [0, 0, 0, 0], "owner.npy"), ([0, 0, 0, 0], [0, 2, 0, 0], "earlier/owner.npy"),
    ] as [([UInt32], [UInt32], String?)])
  func `owners are rows of the owners' table`(owner: [UInt32], earlier: [UInt32], damaged: String?) throws {
    try scratch.stage("people") { try Self.write(owner: owner, earlierOwner: earlier, to: &$0) }
    let table = try EntityTable(scratch("people"), Self.schema)
    if let damaged {
      let error = #expect(throws: FileError.self) { try table.checkOwners(below: 2, in: scratch("people")) }
      #expect(error?.path == scratch("people/" + damaged))
    } else {
      try table.checkOwners(below: 2, in: scratch("people"))
    }
  }
}
