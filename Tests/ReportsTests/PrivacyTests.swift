import Concurrency
import Files
import Foundation
import Geohash
import PipelineFile
import Testing
import TestSupport
import Text

@testable import Reports

/// Values of few people are hidden. The tests use the exact thresholds.
@Suite struct RareWordsTests {
  @Test(arguments: [(1, false), (9, false), (10, true), (11, true)])
  func `a word is named only if at least ten people have it`(_ people: Int, _ isNamed: Bool) throws {
    let world = try RunByHand()
    // Rows without a word do not count as people with a word.
    try world.writeCities([("Cork", people), ("Galway", 40), (nil, 30)])
    let rare = try RareWords(world.run())
    #expect(rare.mayBeNamed("city=Cork") == isNamed)
    #expect(rare.mayBeNamed("city=Galway"))
  }

  @Test func `a cell is never named, and a column without a word always is`() throws {
    let world = try RunByHand()
    try world.writeCities([("Cork", 9)])
    let rare = try RareWords(world.run())
    #expect(!rare.mayBeNamed("geohash=u281") && !rare.mayBeNamed("city=Cork"))
    #expect(rare.mayBeNamed("distance") && rare.mayBeNamed("age"))
  }
}

/// The cells of the map. Each shown cell must contain enough people.
@Suite struct CoarseCellsTests {
  private static func cells(_ counts: [(cell: String, count: Int)], snapped: Int = 6) throws -> CoarseCells {
    let scratch = try ScratchDirectory()
    let lines = counts.map { "\($0.cell),\($0.count),1\n" }.joined()
    return try CoarseCells(scratch.write("cell,entities,Art\n" + lines, to: "buckets.csv"), snapped: snapped)
  }

  @Test func `a cell is shown only if it contains at least ten people`() throws {
    let cells = try Self.cells([("u281", 9), ("u282", 10), ("u283", 91)])
    #expect(
      cells.shown.map(\.geohash.description) == ["u283", "u282"] && cells.shown.map(\.count) == [91, 10])
    #expect(cells.hidden == (1, 9) && cells.total == 110 && cells.precisions == 4...4)
  }

  @Test(arguments: [(9, 4), (6, 4), (5, 4), (4, 3), (3, 2), (2, 1), (1, 1)])
  func `cells are coarser than positions, and have at most four digits`(
    _ snapped: Int, _ precision: Int
  ) throws {
    let cells = try Self.cells([("u28123456", 5), ("u28198765", 6)], snapped: snapped)
    #expect(cells.precisions == precision...precision && cells.shown.map(\.count) == [11])
    #expect(cells.shown[0].geohash.description == String("u281".prefix(precision)))
  }

  @Test func `a cell is divided if its parts show 90 % of its people`() throws {
    // Exactly a tenth of 90 people is in a part with 9 people.
    let tenth = try Self.cells([("u281", 9), ("u282", 81)])
    #expect(tenth.shown.map(\.geohash.description) == ["u282"] && tenth.hidden == (1, 9))
    // 9 of 89 people are more than a tenth.
    let more = try Self.cells([("u281", 9), ("u282", 80)])
    #expect(more.shown.map(\.geohash.description) == ["u28"] && more.hidden == (0, 0))
    #expect(more.shown[0].count == 89)
  }

  @Test func `cells are smaller where more people are`() throws {
    let cells = try Self.cells([
      ("u281", 50), ("u282", 60), ("u291", 5), ("u292", 6), ("u2b1", 9), ("9q81", 4), ("9r81", 8),
    ])
    #expect(cells.shown.map { "\($0.geohash) \($0.count)" } == ["u282 60", "u281 50", "9 12", "u29 11"])
    #expect(cells.precisions == 1...4 && cells.hidden == (1, 9) && cells.total == 142)
  }

  /// Some users show only their region.
  @Test(arguments: [(5, ["u281"], 1), (6, ["u28"], 0)])
  func `people with a coarse position count in their cell`(
    _ coarse: Int, _ shown: [String], _ hidden: Int
  ) throws {
    let cells = try Self.cells([("u281", 45), ("u28", coarse)])
    #expect(cells.shown.map(\.geohash.description) == shown)
    #expect(cells.hidden == (hidden, hidden * coarse) && cells.total == 45 + coarse)
  }

  /// Compares the cells with a slow reference implementation, which reads all rows again for each cell.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `cells equal a slow reference implementation`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let digits = Array("0246bd")
    let rows = (0..<40).map { _ in
      let length = Int.random(in: 1...6, using: &random)
      return (
        String((0..<length).map { _ in digits.randomElement(using: &random)! }),
        Int.random(in: 1...30, using: &random)
      )
    }
    func shown(_ prefix: String) -> [String: Int] {
      func count(_ prefix: String) -> Int { rows.filter { $0.0.hasPrefix(prefix) }.reduce(0) { $0 + $1.1 } }
      guard count(prefix) >= 10 else { return [:] }
      let parts = digits.map { prefix + [$0] }.filter { count($0) >= 10 }
      guard prefix.count < 4, 10 * parts.map(count).reduce(0, +) >= 9 * count(prefix) else {
        return [prefix: count(prefix)]
      }
      return parts.reduce(into: [:]) { $0.merge(shown($1)) { first, _ in first } }
    }
    let expected = digits.reduce(into: [:]) { $0.merge(shown(String($1))) { first, _ in first } }
    let cells = try Self.cells(rows)
    let found = Dictionary(uniqueKeysWithValues: cells.shown.map { ($0.geohash.description, $0.count) })
    #expect(found == expected && !found.isEmpty)
    #expect(found.values.reduce(0, +) + cells.hidden.entities == cells.total)
    #expect(cells.total == rows.reduce(0) { $0 + $1.1 })
  }

  @Test func `cells of fewer than ten people are never shown, at any precision`() throws {
    let cells = try Self.cells([("u281", 9), ("9q8y", 9)])
    #expect(cells.precisions == nil && cells.shown.isEmpty && cells.hidden == (2, 18))
    let none = try Self.cells([])
    #expect(none.shown.isEmpty && none.total == 0 && none.hidden == (0, 0))
  }

  @Test(arguments: [(500, 4), (501, 3)])
  func `a map has at most five hundred cells`(_ count: Int, _ precision: Int) throws {
    let digits = Array("0123456789bcdefghjkmnpqrstuvwxyz")
    let cells = try Self.cells((0..<count).map { ("u2\(digits[$0 / 32])\(digits[$0 % 32])", 10) })
    #expect(cells.precisions == precision...precision)
    #expect(cells.shown.reduce(0) { $0 + $1.count } + cells.hidden.entities == 10 * count)
  }

  @Test func `equally full cells are in the order of their names`() throws {
    let cells = try Self.cells([("u283", 10), ("u281", 10), ("u282", 11), ("u280", 4_294_967_295)])
    #expect(cells.shown.map(\.geohash.description) == ["u280", "u282", "u281", "u283"])
    #expect(cells.finest == 4)
  }

  @Test(arguments: ["u281,ten", "u281", "a281,10", "u281,-1", "u281,4294967296"])
  func `a line that is not a cell with a count is an error`(_ line: String) throws {
    let scratch = try ScratchDirectory()
    let path = try scratch.write("cell,entities\n\(line)\n", to: "buckets.csv")
    #expect(throws: FileError.self) { try CoarseCells(path, snapped: 6) }
  }

  @Test(
    arguments: [
      (9, "The map omits 1 cell with fewer than 10 people."), (0, nil),
    ] as [(Int, String?)])
  func `the number of hidden people is not exact`(_ hidden: Int, _ reported: String?) throws {
    var world = try RunByHand()
    world.yaml = world.withoutAttributes
    try world.scratch.write(
      "cell,entities\nu281,40\n" + (hidden > 0 ? "9282,\(hidden)\n" : ""), to: "index/people/buckets.csv")
    let lines = try Section.map(world.run()).shown
    #expect(lines.last { $0.contains("omits") } == reported)
  }

  @Test func `a map without enough people is not shown`() throws {
    let world = try RunByHand()
    try world.scratch.write("cell,entities\nu281,9\n", to: "index/people/buckets.csv")
    #expect(
      try Section.map(world.run()).shown == [
        "The map of people is hidden, because even the largest cells contain fewer than 10 people each."
      ])
  }
}

/// The headings, the rows and the names of places in the section with the map.
@Suite struct MapSectionTests {
  private static func section(_ cells: String, entities: [String] = ["people"]) throws -> Section {
    var world = try RunByHand()
    world.yaml = world.withoutAttributes
    if entities.count > 1 {
      world.yaml = world.yaml.replacing(
        "interactions:",
        with: """
            dogs: { source: { path: d.csv }, id: id, position: { latitude: a, longitude: o } }
          interactions:
          """
      ).replacing("user: who", with: "user: { from: who, entity: people }")
        .replacing("candidate: whom", with: "candidate: { from: whom, entity: people }")
    }
    for entity in entities {
      try world.scratch.write("cell,entities\n" + cells, to: "index/\(entity)/buckets.csv")
    }
    return try .map(world.run())
  }

  private static func lines(_ cells: String, entities: [String] = ["people"]) throws -> [String] {
    try section(cells, entities: entities).shown
  }

  @Test(arguments: [["people"], ["dogs", "people"]])
  func `the map of each entity names it once`(_ entities: [String]) throws {
    let lines = try Self.lines("u281,40\n", entities: entities)
    #expect(
      lines.filter { entities.contains($0) || $0.hasSuffix("of precision 4") }
        == entities.map { "\($0) by cells of precision 4" })
  }

  @Test(
    arguments: [
      ("u281", "48.1° N, 11.4° E"), ("d281", "3.1° N, 78.6° W"), ("k281", "41.9° S, 11.4° E"),
      ("6281", "41.9° S, 78.6° W"),
    ])
  func `a cell is named by its middle`(_ cell: String, _ place: String) throws {
    #expect(try Self.lines("\(cell),40\n").last == "\(cell) | \(place) | 40 | 100 %")
  }

  @Test(arguments: [
    (25, "all cells, fullest first"), (26, "the 25 fullest of 26 cells; the CSV file contains all"),
  ])
  func `the table has at most 25 rows`(_ cells: Int, _ words: String) throws {
    let digits = Array("0123456789bcdefghjkmnpqrstuvwxyz")
    let section = try Self.section((0..<cells).map { "u28\(digits[$0]),\(40 + $0)\n" }.joined())
    let figure = try #require(section.blocks.charts.first)
    #expect(figure.table.caption.shown == "people: \(words)" && figure.table.rows.count == 25)
    #expect(figure.table.shown[0].hasPrefix("u28\(digits[cells - 1]) | "))
    #expect(figure.data.rows.count == cells)
  }

  @Test func `the map's numbers are the counts and the edges of its cells`() throws {
    let figure = try #require(Self.section("u281,40\n9,60\n").blocks.charts.first)
    #expect(figure.name == "map-people" && figure.title.shown == "people by cells of precision 1 to 4")
    #expect(figure.data.fields == ["cell", "count", "south", "west", "north", "east"])
    let row: [JSONValue] = [
      .string("9"), .integer(60), .number(0), .number(-135), .number(45), .number(-90),
    ]
    #expect(figure.data.rows.count == 2 && figure.data.rows[0] == row)
    #expect(figure.table.shown[0] == "9 | 22.5° N, 112.5° W | 60 | 60.0 %")
    #expect(figure.description.shown.hasSuffix("at least 10 people; darker cells contain more, up to 60."))
  }

  @Test(arguments: [
    // A large cell would hide a town that contains at least half of the people.
    ("u281,60\n9,40\n", "4", 1), ("u281,40\n9,40\n", "4", 1), ("u281,39\n9,40\n", "1 to 4", 2),
    ("u281,60\nu20,40\n", "3 to 4", 2),
  ])
  func `a map omits large cells beside a town`(_ cells: String, _ precisions: String, _ drawn: Int) throws {
    let section = try Self.section(cells)
    let figure = try #require(section.blocks.charts.first)
    #expect(figure.title.shown == "people by cells of precision \(precisions)")
    #expect((figure.chart as? MapChart)?.cells.count == drawn)
    #expect(figure.table.rows.count == 2 && figure.data.rows.count == 2)
    let omitted = section.shown.first { $0.hasPrefix("The map omits 1 large cell with ") }
    #expect((omitted != nil) == (drawn == 1))
    #expect(figure.description.shown.contains("10 people, except 1 large cell;") == (drawn == 1))
  }

  @Test(arguments: [(9, ""), (10, ", 20.0 % of all positions")])
  func `the share of ten hidden people is shown`(_ hidden: Int, _ words: String) throws {
    let lines = try Self.lines("u281,40\n9282,5\nd283,\(hidden - 5)\n")
    #expect(lines.last == "The map omits 2 cells with fewer than 10 people\(words).", "\(lines)")
    #expect(!lines.contains { $0.hasPrefix("9") })
  }
}

/// Example lists, with pseudonyms instead of ids.
@Suite struct ExampleListsTests {
  /// Returns one line of lists. Each candidate has a reason with one feature.
  private static func line(_ user: String, _ candidates: [String], feature: String = "distance") -> String {
    let entries = candidates.enumerated().map { place, candidate in
      """
      {"rank":\(place + 1),"candidate":"\(candidate)","score":0.5,"distance_km":3.4,\
      "reasons":[{"feature":"\(feature)","contribution":0.25},{"feature":"age","contribution":0.0004}]}
      """
    }
    return "{\"user\":\"\(user)\",\"recommendations\":[\(entries.joined(separator: ","))]}\n"
  }

  private static func world(_ lines: String, users: Int = 20, rankings: [String] = ["near"]) throws
    -> RunByHand
  {
    var world = try RunByHand()
    world.yaml = RunByHand.yaml(rankings: rankings)
    world.lists = .object(
      Dictionary(
        uniqueKeysWithValues: rankings.map { ($0, RunByHand.list(users: users, full: 0, empty: 0)) }))
    try world.writeCities([("Cork", 9), ("Galway", 10)])
    for ranking in rankings {
      try world.scratch.write(lines, to: "rankings/\(ranking)/part-00000.jsonl")
    }
    return world
  }

  private static func lists(_ world: RunByHand) throws -> [ExampleLists.List] {
    let run = try world.run()
    var examples = try ExampleLists(run, RareWords(run))
    return try examples.lists(of: run.pipeline.rankings[0])
  }

  @Test func `an example has three people with five entries each, and no ids`() throws {
    let ids = (0..<40).map { "id-\($0)-secret" }
    let world = try Self.world(
      ids.map { user in Self.line(user, ids.filter { $0 != user }.prefix(8).map(\.self)) }.joined())
    let lists = try Self.lists(world)
    #expect(lists.count == 3 && lists.allSatisfy { $0.entries.map(\.rank) == [1, 2, 3, 4, 5] })
    #expect(Set(lists.map(\.user)).count == 3)
    // A person has the same pseudonym on every list.
    let names = lists.flatMap { $0.entries.map(\.candidate) }
    #expect(Set(names).count < names.count)
    let page = try Section.examples(world.run()).shown.joined(separator: "\n")
    #expect(page.contains("P1") && !page.contains("secret"))
  }

  @Test(arguments: [(1, 3), (2, 3), (3, 2), (6, 1), (7, 1)])
  func `about six people are shown in all lists together`(_ rankings: Int, _ people: Int) throws {
    let lines = (0..<40).map { Self.line("u\($0)", ["c1", "c2"]) }.joined()
    let world = try Self.world(lines, rankings: (1...rankings).map { "list\($0)" })
    #expect(try Self.lists(world).count == people)
  }

  @Test(arguments: [
    ("city=Cork", "a rare feature"), ("city=Galway", "city=Galway"), ("geohash=u281", "a rare feature"),
  ])
  func `a reason that few people have is not named`(_ feature: String, _ shown: String) throws {
    let lists = try Self.lists(Self.world(Self.line("a", ["b"], feature: feature)))
    #expect(lists.map { $0.entries[0].reasons[0].feature } == [shown])
  }

  @Test func `an empty reason is omitted, and distances are whole numbers`() throws {
    let page = try Section.examples(Self.world(Self.line("a", ["b"])).run()).shown
    #expect(page.contains("1 | P2 | 0.50 | 3 km | distance +0.250"), "\(page)")
  }

  @Test func `a list of a rare word does not name it`() throws {
    func shown(_ word: String) throws -> String? {
      var world = try Self.world(
        "{\"user\":\"a\",\"lists\":{\"\(word)\":{\"recommendations\":[{\"rank\":1,\"candidate\":\"b\"}]},\"Zzz\":{\"recommendations\":[]}}}\n"
      )
      world.yaml = RunByHand.yaml(rankings: []).replacing(
        "rankings:\n",
        with:
          "rankings:\n  near: { users: people, candidates: people, top: 10, order_by: distance, exclude: [self], per: city }\n"
      )
      return try Self.lists(world).first?.word
    }
    #expect(try shown("Cork") == "a rare word")
    #expect(try shown("Galway") == "Galway")
  }

  @Test(arguments: [(9, false), (10, true)])
  func `with fewer than ten users there is no example`(_ users: Int, _ isShown: Bool) throws {
    let world = try Self.world(Self.line("a", ["b"]), users: users)
    let page = try Section.examples(world.run()).shown
    #expect(page.contains { $0.contains("P1") } == isShown)
    #expect(page.contains { $0.hasPrefix("This page shows no example") } == !isShown)
  }

  @Test func `a user with an empty list is not an example`() throws {
    #expect(try Self.lists(Self.world("")).isEmpty)
    #expect(try Self.lists(Self.world(Self.line("a", []) + Self.line("b", []))).isEmpty)
    let some = try Self.lists(
      Self.world((0..<20).map { Self.line("u\($0)", []) }.joined() + Self.line("z", ["y"])))
    #expect(some.map(\.user) == ["P1"] && some[0].entries.map(\.candidate) == ["P2"])
  }

  @Test func `a table of an example has its entries, and columns for scores only with scores`() throws {
    let one = try Section.examples(Self.world(Self.line("a", ["b"])).run()).shown
    #expect(one[1] == "near of P1: the first entry")
    let two = try Section.examples(Self.world(Self.line("a", ["b", "a"])).run()).shown
    #expect(
      two.dropFirst() == [
        "near of P1: the first 2 entries", "1 | P2 | 0.50 | 3 km | distance +0.250",
        "2 | P1 | 0.50 | 3 km | distance +0.250",
      ])
    let entries = """
      {"rank":1,"candidate":"b","reasons":[{"feature":"age","contribution":1}]},\
      {"rank":2,"candidate":"c","distance_km":2.5},{"candidate":"d"},{"rank":4}
      """
    let plain = try Section.examples(
      Self.world("{\"user\":\"a\",\"recommendations\":[\(entries)]}\n").run()
    ).shown
    #expect(
      plain.dropFirst() == ["near of P1: the first 2 entries", "1 | P2 | –", "2 | P3 | 3 km"])
    let scored = """
      {"rank":1,"candidate":"b","score":0.25,"reasons":[{"feature":"age","contribution":0.0005},\
      {"feature":"distance","contribution":-1},{"feature":"born","contribution":0.5}]},\
      {"rank":2,"candidate":"c","distance_km":2}
      """
    let reasons = try Section.examples(
      Self.world("{\"user\":\"a\",\"recommendations\":[\(scored)]}\n").run()
    ).shown
    #expect(
      reasons.dropFirst() == [
        "near of P1: the first 2 entries", "1 | P2 | 0.25 | – | age +0.001, born +0.500",
        "2 | P3 | – | 2 km | –",
      ])
  }

  @Test func `the first list of a user with an entry is shown, with its word`() throws {
    let list = "{\"recommendations\":[{\"rank\":1,\"candidate\":\"b\"}]}"
    var world = try Self.world(
      "{\"user\":\"a\",\"lists\":{\"Zzz\":\(list),\"Aaa\":{\"recommendations\":[]},\"Galway\":\(list)}}")
    world.yaml = RunByHand.yaml(rankings: []).replacing(
      "rankings:\n",
      with:
        "rankings:\n  near: { users: people, candidates: people, top: 10, order_by: distance, exclude: [self], per: city }\n"
    )
    #expect(try Self.lists(world).map(\.word) == ["Galway"])
    #expect(try Section.examples(world.run()).shown[1] == "near of P1, Galway: the first entry")
  }

  @Test func `pseudonyms continue from ranking to ranking`() throws {
    let world = try Self.world(Self.line("a", ["b"]), rankings: ["far", "near"])
    let lines = try Section.examples(world.run()).shown
    #expect(lines.filter { $0.contains(" of P") }.count == 2)
    #expect(lines.filter { $0.hasPrefix("1 | P2 | ") }.count == 2, "an id must have one pseudonym")
  }

  @Test func `a line that is not JSON is an error`() throws {
    let error = #expect(throws: FileError.self) { _ = try Self.lists(Self.world("{\n")) }
    #expect(error?.operation == .read)
  }
}

/// How small numbers of people are reported.
@Suite struct DisclosureTests {
  @Test(
    arguments: [(0, "0"), (1, "fewer than 10"), (9, "fewer than 10"), (10, "10"), (1000, "1 000")])
  func `small numbers of people are not exact`(_ count: Int, _ text: String) {
    #expect(Disclosure.people(count).shown == text)
  }

  @Test func `the path of a file on the machine is not shown`() throws {
    var world = try RunByHand()
    world.inputs = [
      FileDigest(
        path: "/home/secret/swipes.csv", bytes: 10, sha256: String(repeating: "ab", count: 32), rows: 3)
    ]
    let page = try Section.data(world.run()).shown.joined(separator: "\n")
    #expect(page.contains("swipes.csv | 3 | 10 | abababababab…") && !page.contains("secret"))
  }
}
