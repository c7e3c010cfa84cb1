import Columns
import Foundation
import GRDB
import RunSchemas
import Testing
import TestSupport
import Text

/// Every naughty string must pass every stage and the store unchanged, as an id, a name, a category
/// and a value.
@Suite(.enabled(if: SharedData.exists(NaughtyNight.list), "needs ../shared/data"))
struct NaughtyStringsTests {
  // The tests compare bytes, because `==` on strings treats canonically equivalent spellings as
  // equal.
  private typealias Bytes = [UInt8]
  private static let texts = NaughtyNight.texts.map { Bytes($0.utf8) }
  private static let order = NaughtyNight.order
  private static let ids = order.map { texts[$0] }

  @Test func `the list of strings is complete`() throws {
    #expect(
      try JSONDecoder().decode([String].self, from: Data(SharedData.text(NaughtyNight.list).utf8)).count
        == 515)
    #expect(Self.texts.count > 520 && Set(Self.texts).count == Self.texts.count)
    #expect(NaughtyNight.words.count > 510)
  }

  // MARK: Ingest

  @Test(arguments: NaughtyFormat.allCases)
  func `every format keeps every string in the snapshot`(_ format: NaughtyFormat) throws {
    if let lacks = format.lacks { try Test.cancel("needs \(lacks)") }
    let night = try NaughtyNight(format, until: "ingest")
    let people = "snapshot/entities/people/"
    try expectTexts(people + "id", Self.ids, of: night)
    try expectTexts(
      people + "attributes/name", Self.order.map { Bytes(NaughtyNight.name(of: $0).utf8) }, of: night)
    let field = try CategoryColumn(night.run + "/" + people + "attributes/field")
    try expectTexts(people + "attributes/field.vocabulary", Self.ids, of: night)
    for (row, index) in Self.order.enumerated() {
      let code = try #require(field.codes[row] == CategoryColumn.missing ? nil : field.codes[row])
      #expect(Self.ids[Int(code)] == Bytes(NaughtyNight.field(of: index).utf8))
    }
    try expectLikes(night)
    try expectEmptyIDs(night)

    // The bytes must equal the bytes of the shared run, because the tests of later stages use it.
    let whole = try NaughtyNight.whole.get()
    let difference = try DirectoryContents(of: night.run + "/snapshot")
      .differences(from: DirectoryContents(of: whole.run + "/snapshot"))
    #expect(Set(difference).isSubset(of: ["manifest.json", "rejects.csv"]), "\(difference)")
  }

  private func expectTexts(_ column: String, _ texts: [Bytes], of night: NaughtyNight) throws {
    #expect(try night.bytes(column + ".utf8") == texts.flatMap { $0 }, "\(column)")
    var ends: [UInt64] = [0]
    for text in texts { ends.append((ends.last ?? 0) + UInt64(text.count)) }
    #expect(try Column<UInt64>(night.run + "/" + column + ".offsets.npy").elements == ends, "\(column)")
  }

  /// Expects each person's likes of the person `step` places later and the person `step` places
  /// earlier, with the value of the word.
  private func expectLikes(_ night: NaughtyNight) throws {
    let likes = try InteractionTable(night.run + "/snapshot/interactions/likes")
    try #require(likes.count == 2 * Self.texts.count)
    let count = Self.texts.count
    for (row, index) in Self.order.enumerated() {
      let before = (index - NaughtyNight.step + count) % count
      let others = [(index + NaughtyNight.step) % count, before]
      for (offset, (other, word)) in zip(others, [index, before]).enumerated() {
        let like = 2 * row + offset
        #expect(
          Int(likes.user.elements[like]) == row && Self.ids[Int(likes.candidate[like])] == Self.texts[other])
        #expect(likes.value[like] == Double(NaughtyNight.word(of: word) + 1))
      }
    }
  }

  private func expectEmptyIDs(_ night: NaughtyNight) throws {
    for (source, rejected) in [("people", 1), ("likes", 2)] {
      let counts = try night.counts(source)
      #expect(counts.object("rejected").integers == ["missing_id": rejected])
      let kept = source == "people" ? Self.texts.count : 2 * Self.texts.count
      #expect(counts.integer("kept") == kept && counts.integer("read") == kept + rejected)
      #expect(counts.integer("merged") == 0 && counts.integer("later") == 0)
    }
    let rejects = plainCSVText(try night.bytes("snapshot/rejects.csv")).dropFirst()
    let fields = night.format.fields
    #expect(rejects.map { $0[3] } == [fields.id, fields.from, fields.to])
    #expect(rejects.allSatisfy { $0[4] == "missing_id" && $0[5] == "" })
  }

  // MARK: Index, models, lists

  @Test func `the index and the models contain every string`() throws {
    let night = try NaughtyNight.whole.get()
    let names = try StringColumn(night.run + "/models/columns").strings.map { Bytes($0.utf8) }
    #expect(names == Self.ids.map { Bytes("field=".utf8) + $0 })
    let header = try #require(plainCSVText(try night.bytes("index/people/buckets.csv")).first)
    #expect(header.prefix(2) == ["cell", "entities"])
    #expect(header.dropFirst(2).map { Bytes($0.utf8) } == names)
    #expect(try night.bytes("models/columns.utf8") == names.flatMap { $0 })
  }

  @Test func `everyone has a list, and is on their neighbors' lists`() throws {
    let night = try NaughtyNight.whole.get()
    let lines = try RankingsFiles(night.run + "/rankings", list: "near").lines
    #expect(lines.map { Bytes($0.user.utf8) } == Self.ids)
    for (line, index) in zip(lines, Self.order) {
      let candidates = line.recommendations.map { Bytes($0.candidate.utf8) }
      let near = [index - 1, index + 1].filter(Self.texts.indices.contains)
      let far = [index - 2, index + 2].filter(Self.texts.indices.contains)
      #expect(Set(candidates.prefix(near.count)) == Set(near.map { Self.texts[$0] }))
      #expect(Set(candidates.dropFirst(near.count)) == Set(far.map { Self.texts[$0] }))
      #expect(candidates.count == near.count + far.count)
    }
  }

  @Test func `reasons name the candidate's own category`() throws {
    let night = try NaughtyNight.whole.get()
    let fields = Dictionary(
      uniqueKeysWithValues: Self.texts.indices.map { index in
        (Self.texts[index], Bytes(("field=" + NaughtyNight.field(of: index)).utf8))
      })
    var count = 0
    for line in try RankingsFiles(night.run + "/rankings", list: "liked").lines {
      #expect(line.recommendations.count == 10)
      for entry in line.recommendations {
        count += entry.reasons.count
        for reason in entry.reasons {
          #expect(Bytes(reason.feature.utf8) == fields[Bytes(entry.candidate.utf8)])
        }
      }
    }
    #expect(count > 500)
  }

  @Test func `the CSVs for people decode to the lists and the matches`() throws {
    let night = try NaughtyNight.whole.get()
    for list in ["near", "liked"] {
      let expected = try RankingsFiles(night.run + "/rankings", list: list).lines.flatMap { line in
        line.recommendations.map {
          [Bytes(line.user.utf8), Bytes("\($0.rank)".utf8), Bytes($0.candidate.utf8)]
        }
      }
      let rows = try guardedRows("rankings/\(list).csv", of: night)
      #expect(rows.map { Array($0.prefix(3)) } == expected)
    }
    let matches = try guardedRows("rankings/matches.csv", of: night)
    #expect(Set(matches.map { Array($0.prefix(2)) }) == Self.pairs && matches.count == Self.pairs.count)
  }

  /// Reads the rows of a CSV file that is written for people. Expects that no field contains a
  /// formula for a spreadsheet or a control sequence.
  private func guardedRows(_ name: String, of night: NaughtyNight) throws -> [[Bytes]] {
    let bytes = try night.bytes(name)
    for field in plainCSV(bytes).joined() {
      // Scores and distances are plain numbers.
      let isNumber = Double(String(decoding: field, as: UTF8.self)) != nil
      #expect(isNumber || !"=+-@".utf8.contains(field.first ?? 0))
    }
    expectHarmless(String(decoding: bytes, as: UTF8.self))
    return plainCSVText(bytes).dropFirst().map { $0.map { Bytes($0.utf8) } }
  }

  /// The pairs who like each other. The smaller id is first.
  private static let pairs = Set(
    texts.indices.map { index in
      [texts[index], texts[(index + NaughtyNight.step) % texts.count]].sorted {
        $0.lexicographicallyPrecedes($1)
      }
    })

  // MARK: Store

  private func rows(_ sql: String) throws -> [[Bytes]] {
    var configuration = Configuration()
    configuration.readonly = true
    let path = try NaughtyNight.whole.get().directory("serving.sqlite")
    return try DatabaseQueue(path: path, configuration: configuration).read { database in
      try Row.fetchAll(database, sql: sql).map { row in
        row.databaseValues.map { Bytes(Data.fromDatabaseValue($0) ?? Data("\($0.storage.value ?? "")".utf8)) }
      }
    }
  }

  @Test func `the store returns every id, document, attribute and match`() throws {
    let night = try NaughtyNight.whole.get()
    for list in ["near", "liked"] {
      let lines = try night.bytes("rankings/\(list)/part-00000.jsonl").split(separator: 0x0A).map(Bytes.init)
      let documents = try rows(
        "SELECT CAST(user_id AS BLOB), CAST(document AS BLOB) FROM served_lists WHERE list = '\(list)' ORDER BY 1"
      )
      #expect(documents == zip(Self.ids, lines).map { [$0, $1] })
      let entries = try rows(
        """
        SELECT CAST(user_id AS BLOB), CAST(candidate_id AS BLOB) FROM recommendations WHERE list = '\(list)'
        ORDER BY CAST(user_id AS BLOB), rank
        """)
      let expected = try RankingsFiles(night.run + "/rankings", list: list).lines.flatMap { line in
        line.recommendations.map { [Bytes(line.user.utf8), Bytes($0.candidate.utf8)] }
      }
      #expect(entries == expected)
    }
    let people = try rows("SELECT CAST(id AS BLOB), CAST(attributes AS BLOB) FROM people ORDER BY 1")
    #expect(people.map { $0[0] } == Self.ids)
    for (row, index) in zip(people, Self.order) {
      let attributes = try JSONDecoder().decode([String: String].self, from: Data(row[1]))
      #expect(
        attributes.mapValues { Bytes($0.utf8) } == [
          "name": Bytes(NaughtyNight.name(of: index).utf8),
          "field": Bytes(NaughtyNight.field(of: index).utf8),
        ])
    }
    let matches = try rows("SELECT CAST(user_id AS BLOB), CAST(other_user_id AS BLOB) FROM served_matches")
    #expect(Set(matches) == Self.pairs.union(Self.pairs.map { $0.reversed() }))
    #expect(matches.count == 2 * Self.pairs.count)
  }

  @Test(arguments: 0..<4) func `show finds everyone and prints no control sequences`(quarter: Int) throws {
    let night = try NaughtyNight.whole.get()
    let lines = try night.bytes("rankings/near/part-00000.jsonl").split(separator: 0x0A)
    for (row, index) in Self.order.enumerated() where row % 4 == quarter {
      let id = NaughtyNight.texts[index]
      // ArgumentParser does not find `=` before a combining mark. It treats `--` as the end of
      // options.
      let isAttached = id == "--" || index % 2 == 0 && id.unicodeScalars.first.map { $0.isASCII } == true
      let arguments =
        ["show"] + night.chosen + ["--list", "near"] + (isAttached ? ["--user=" + id] : ["--user", id])
      let asked = try Program.run("nightjar", arguments + ["--json"])
      #expect(asked.ending == .status(0), "\(id): \(asked.errors)")
      #expect(Bytes(asked.output.utf8) == lines[row] + [0x0A], "\(id)")
      guard index % 5 == 0 || id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
      else { continue }
      let shown = try Program.run("nightjar", arguments)
      #expect(shown.ending == .status(0))
      expectHarmless(shown.output)
      let title = shown.output.unicodeScalars.prefix { $0 != "\n" }
      let parts = [NaughtyNight.name(of: index), NaughtyNight.field(of: index)]
      let expected = ([id] + parts).joined(separator: ", ")
      #expect(ShownText.decoded(Bytes(String(title).utf8)) == Bytes(expected.utf8))
    }
  }

  @Test(arguments: ["-1", "-$1.00", "-2147483648/-1", "--help", "--json", "--user"])
  func `an id that looks like an option works with --user`(id: String) throws {
    let product = try SmallProduct()
    try product.directory.write(
      SmallProduct.people.replacing("adaXQ", with: id), to: "people.csv")
    try product.directory.write(
      SmallProduct.swipes.replacing("adaXQ", with: id), to: "swipes.csv")
    try #require(try product.run().ending == .status(0))
    let arguments = [product.pipelineFile, "--work", product.work, "--json"]
    for user in [["--user", id], ["--user=" + id]] {
      let shown = try Program.run("nightjar", ["show"] + arguments + user)
      #expect(shown.ending == .status(0) && shown.output.hasPrefix("{\"user\":\"\(id)\","), "\(shown.errors)")
      let explained = try Program.run(
        "nightjar", ["explain"] + arguments + user + ["--candidate", "benXQ"])
      #expect(explained.ending == .status(0) && explained.output.contains("(base)"), "\(explained.errors)")
      let other = try Program.run(
        "nightjar", ["explain"] + arguments + ["--user", "benXQ", "--candidate", id])
      #expect(other.ending == .status(0) && other.output.contains("(base)"), "\(other.errors)")
    }
  }

  @Test func `explain shows every category and prints no control sequences`() throws {
    let night = try NaughtyNight.whole.get()
    for id in ["\u{1B}[0m", "\u{202E}a", "-1", "--"] {
      let ended = try Program.run("nightjar", ["explain"] + night.chosen + ["--user=\(id)"])
      #expect(ended.ending == .status(0), "\(ended.errors)")
      expectHarmless(ended.output, but: ["\n", "\t"])
    }
  }

  @Test func `check shows every string safely, and its JSON parses`() throws {
    let night = try NaughtyNight.whole.get()
    let text = try Program.run("nightjar", ["check"] + night.chosen)
    #expect(text.ending == .status(0), "\(text.errors)")
    expectHarmless(text.output)
    let report = try Program.run("nightjar", ["check"] + night.chosen + ["--json"])
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: Any])
    expectHarmless(report.output)
    let sources = try #require(object["sources"] as? [[String: Any]])
    #expect(sources.map { $0.integer("read") } == [Self.texts.count + 1, 2 * Self.texts.count + 2])
    for source in sources { expectAccounted(source) }
  }

  @Test(.enabled(if: DuckDBTool.isAvailable, "duckdb is not installed: see .ci/tools"))
  func `Parquet files contain every string`() throws {
    let night = try NaughtyNight.whole.get()
    let directory = try ScratchDirectory()
    let ended = try Program.run(
      "nightjar", ["export"] + night.chosen + ["--parquet", directory("out")])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    func table(_ file: String, _ columns: String) throws -> [[Bytes]] {
      try DuckDBTool.rows("SELECT \(columns) FROM '\(directory("out/\(file).parquet"))'")
        .map { $0.map { Bytes(($0 ?? "").utf8) } }
    }
    let people = try table("snapshot/people", "id AS c0, name AS c1, field AS c2")
    #expect(
      people
        == Self.order.map { index in
          [NaughtyNight.texts[index], NaughtyNight.name(of: index), NaughtyNight.field(of: index)].map {
            Bytes($0.utf8)
          }
        })
    let near = try RankingsFiles(night.run + "/rankings", list: "near").lines.flatMap { line in
      line.recommendations.map { [Bytes(line.user.utf8), Bytes($0.candidate.utf8)] }
    }
    #expect(try table("rankings/near", "user_id AS c0, candidate_id AS c1") == near)
    let columns = Set(try table("models", "\"column\" AS c0").map { $0[0] })
    #expect(
      columns.subtracting([Bytes("(intercept)".utf8)]) == Set(Self.ids.map { Bytes("field=".utf8) + $0 }))
  }
}

/// Expects that `text` contains no control character and no character that changes the direction of
/// text.
func expectHarmless(
  _ text: String, but allowed: Set<Unicode.Scalar> = ["\n"], sourceLocation: SourceLocation = #_sourceLocation
) {
  let found = Set(
    text.unicodeScalars.filter { scalar in
      switch scalar.value {
      case 0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: !allowed.contains(scalar)
      default: false
      }
    })
  #expect(found.isEmpty, "\(found.map { String($0.value, radix: 16) })", sourceLocation: sourceLocation)
}

/// Expects that the counts of a source in `nightjar check --json` add up to all rows.
func expectAccounted(_ source: [String: Any], sourceLocation: SourceLocation = #_sourceLocation) {
  let counts = ["kept", "rejected", "dangling", "not_allowed", "merged", "later"].compactMap {
    source.integer($0)
  }
  #expect(counts.count == 6 && source.integer("read") == counts.reduce(0, +), sourceLocation: sourceLocation)
}
