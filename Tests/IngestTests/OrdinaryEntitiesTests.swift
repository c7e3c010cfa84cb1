import Concurrency
import IngestFixture
import Testing
import TestSupport

@testable import Ingest

/// Reading entities column by column must give the same result as reading them one by one.
@Suite struct OrdinaryEntitiesTests {
  private func yaml(_ format: String, _ option: String, _ extra: String) -> String {
    """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    reject_limit: 1
    privacy: { snap_positions_to: \(extra) }
    entities:
      clubs: { source: { path: clubs.csv }, id: id }
      people:
        source: { path: people.\(format), format: \(format) \(option.isEmpty ? "" : ", " + option) }
        id: id
        owner: { from: club, entity: clubs, optional: true }
        created: joined
        updated: changed
        position: { latitude: lat, longitude: lon }
        attributes:
          kind: { type: category, from: kind }
          age: { type: number, from: age }
          open: { type: flag, from: open }
          words: { type: tags, from: words, separator: ";" }
          about: { type: text, from: about }
          born: { type: date, from: born, optional: true }
          free: { type: intervals, from: free }
    """
  }

  private static let names = [
    "id", "club", "joined", "changed", "lat", "lon", "kind", "age", "open", "words", "about", "born", "free",
  ]

  /// Ingests the same rows with and without the fast path. The option `missing` turns the fast path off,
  /// because ingest then compares each value with the texts that mean a missing value.
  private func expectSame(_ people: String, format: String, extra: String) throws
    -> Night
  {
    let files = ["clubs.csv": "id\nc1\nc2\nc3\n", "people.\(format)": people]
    let short = try Night(yaml(format, "", extra), files, asOf: Night.clock)
    let long = try Night(yaml(format, "missing: [no such text]", extra), files, asOf: Night.clock)
    #expect(short.counts("people") == long.counts("people"))
    #expect(try short.rejects() == long.rejects())
    let columns = short.scratch.files.filter { $0.hasPrefix("run/snapshot/entities/people/") }
    #expect(columns == long.scratch.files.filter { $0.hasPrefix("run/snapshot/entities/people/") })
    #expect(columns.count > 15)
    for path in columns { #expect(try short.scratch.bytes(path) == long.scratch.bytes(path), "\(path)") }
    return short
  }

  /// The frequent and the rare values of each field.
  private static let cells: [(usual: [String], rare: [String])] = [
    ([], ["", "u7"]),
    (["c1", "c2", ""], ["c9"]),
    (["2024-03-01T00:00:01Z", "2024-03-01", "1700000000000"], ["", "soon", "2027-01-01T00:00:00Z"]),
    (["2025-03-01T00:00:01Z", "2025-03-02T10:00:00Z", ""], ["never", "2027-01-01T00:00:00Z"]),
    (["53.3", "-12.25", "0", "90"], ["", "91", "north"]),
    (["6.25", "-180", "179.99999"], ["", "181", "1e3"]),
    (["singer", "builder", "tester"], ["", "player"]),
    (["31", "44.5", "-0", ""], ["old", "1e101"]),
    (["true", "0", "1", ""], ["perhaps"]),
    (["a;b", "c", ""], [";;", "a;a"]),
    (["Hello", "", "caf\u{e9}"], ["x"]),
    (["1990-05-01", ""], ["19900501", "1990-13-01"]),
    (["2026-05-01T10:00:00Z/2026-05-01T12:00:00Z", ""], ["always"]),
  ]

  @Test(arguments: 0..<24 as Range<UInt64>)
  func `columns and single records give the same entities`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let isJSON = seed % 2 == 0
    let rarely = [0, 0.001, 0.02][Int(seed % 3)]
    var text = isJSON ? "" : Self.names.joined(separator: ",") + "\n"
    for row in 0..<1500 {
      let cells = Self.cells.enumerated().map { field, cell in
        if random.nextUnit() < rarely { return cell.rare.randomElement(using: &random) ?? "" }
        return field == 0
          ? "u\(seed % 5 == 0 ? 5000 - row : row)" : cell.usual.randomElement(using: &random) ?? ""
      }
      if !isJSON {
        text += cells.joined(separator: ",") + "\n"
        continue
      }
      let members = zip(Self.names, cells).enumerated().map { field, member in
        // Some whole numbers and flags are written without quotes. A few values are replaced by
        // numbers where a text is expected.
        var cell = member.1
        if random.nextUnit() < rarely {
          cell = ["7", "true", "19900501", "1700000000000"][(row + field) % 4]
        }
        let isWord = cell == "true" || (cell != "-0" && cell.allSatisfy(\.isNumber) && !cell.isEmpty)
        return "\"\(member.0)\":" + (isWord && row % 50 < 25 ? cell : "\"\(cell)\"")
      }
      text += "{" + members.joined(separator: ",") + "}\n"
    }
    let night = try expectSame(
      text, format: isJSON ? "jsonl" : "csv",
      extra: seed % 4 < 2 ? "5" : "{ from: kind, at_most: 6, words: { singer: 3, builder: 4 } }")
    #expect(night.accounts("people")[1] > 700)
  }

  @Test func `a JSON flag is not an id, and a JSON number is not a date`() throws {
    // Each form has enough lines for the fast path.
    func lines(_ id: String, _ born: String, from first: Int) -> String {
      (first..<first + 20).map { row in
        let rest =
          #""joined":1700000000000,"kind":"singer","age":31,"open":true,"lat":1,"lon":2,"club":"c1","#
          + #""changed":"2025-03-01","words":"a;b","about":7,"free":"""#
        return "{\"id\":\(id == "number" ? "\(row)" : id),\"born\":\(born),\(rest)}\n"
      }.joined()
    }
    let people =
      lines("number", "\"1990-05-01\"", from: 0) + lines("number", "19900501", from: 100)
      + lines("true", "\"1990-05-01\"", from: 200)
    let night = try expectSame(people, format: "jsonl", extra: "5")
    #expect(night.accounts("people") == [60, 20, 40, 0, 0])
    let rejects = try night.rejects().joined()
    #expect(rejects.contains("bad_id") && rejects.contains("bad_date"))
  }

  @Test func `a number field may contain the chosen precision`() throws {
    let rows = (0..<40).map {
      "u\($0),c1,2024-01-01,2025-01-01,53.34\($0 % 10),6.2,singer,\($0 % 6),1,a,b,,\n"
    }
    let people = Self.names.joined(separator: ",") + "\n" + rows.joined()
    let night = try expectSame(people, format: "csv", extra: "{ from: age, at_most: 6 }")
    #expect(night.accounts("people") == [40, 40, 0, 0, 0])
  }

  @Test func `fields that a file does not have are missing`() throws {
    let rows = (0..<40).map {
      "u\($0),1,2,singer,3,1,a,b,2026-05-01T10:00:00Z/2026-05-01T12:00:00Z,2024-01-01,2025-01-01"
    }
    let people = "id,lat,lon,kind,age,open,words,about,free,joined,changed\n" + rows.joined(separator: "\n")
    let night = try expectSame(people, format: "csv", extra: "5")
    #expect(night.accounts("people") == [40, 40, 0, 0, 0])
  }
}
