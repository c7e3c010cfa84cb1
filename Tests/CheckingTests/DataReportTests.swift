import Columns
import Concurrency
import Foundation
import Ingest
import IngestFixture
import PipelineFile
import RunSchemas
import Testing
import TestSupport
import Text
import Tombstones

@testable import Checking

/// Checks small exports and ingests the same exports.
private func checked(
  _ yaml: String = Night.yaml(), people: String, likes: String = "", asOf: Instant? = nil
) throws -> (report: DataReport, night: Night) {
  let night = try Night(
    yaml, ["people.csv": Night.peopleHeader + people, "likes.csv": Night.likesHeader + likes], asOf: asOf)
  let check = DataCheck(night.pipeline, asOf: asOf, clock: Night.clock, previous: nil)
  #expect(check.problems.isEmpty)
  return (check.report, night)
}

extension DataReport {
  fileprivate func source(_ name: String) throws -> Source { try #require(sources.first { $0.name == name }) }
}

extension DataReport.Source {
  /// The same counts as in `Night.accounts`.
  fileprivate var accounts: [Int] { [read, kept, rejected + dangling + notAllowed, merged, later] }

  fileprivate func column(_ name: String) throws -> DataReport.Column {
    try #require(columns.first { $0.name == name })
  }
}

@Suite struct DataReportTests {
  @Test func `the figures equal a calculation by hand`() throws {
    let people = """
      a,10,20,0.5,0.5,Law,30,true,hello
      b,11,,0.5,0.5,Art,40,false,
      c,,,-33,151,Art,20,,é👩‍👩‍👧‍👦
      d,,,,,,,,hello
      e,5000,,,,,,,
      a,,15,,,,,,
      ,,,,,,,,
      f,,,,,,x,,
      g,,,,,,y,,
      h,,,,,,z,,
      i,,,,,,=1,,

      """
    let likes = "a,b,1,yes\na,b,2,no\na,c,3,yes\nb,a,900,yes\nc,e,4,yes\nb,a,1001,yes\n"
    let (report, _) = try checked(
      Night.yaml(precision: 6), people: people, likes: likes, asOf: Instant(milliseconds: 1000))
    #expect(report.asOf == Instant(milliseconds: 1000))
    #expect(report.asOfFrom == "given")
    #expect(report.snappedToPrecision == 6)

    let source = try report.source("people")
    #expect(source.accounts == [11, 4, 5, 1, 1])
    #expect(source.files == ["people.csv"])
    #expect(source.positions == DataReport.Positions(without: 1, cells: 2))
    #expect(source.pairs == nil)
    #expect(source.rules.map(\.rule) == ["bad_number", "duplicate_id", "missing_id"])
    #expect(source.rules.map(\.rows) == [4, 1, 1])
    #expect(source.rules[0].examples.map(\.number) == [9, 10, 11])
    #expect(
      source.rules[0].examples[0]
        == DataReport.Example(file: "people.csv", unit: "line", number: 9, field: "age", value: "x"))

    let age = try source.column("age")
    #expect(age.missing == 1 && age.missingShare == 0.25)
    #expect(
      [age.numbers?.minimum, age.numbers?.median, age.numbers?.mean, age.numbers?.maximum] == [
        20, 30, 30, 40,
      ])
    let field = try source.column("field")
    #expect(field.distinct == 2 && field.missing == 1)
    #expect(
      field.top == [DataReport.Count(value: "Art", rows: 2), DataReport.Count(value: "Law", rows: 1)])
    let bio = try source.column("bio")
    #expect(bio.distinct == 2 && bio.missing == 1 && bio.top == nil)
    #expect(bio.numbers?.minimum == 5 && bio.numbers?.median == 5 && bio.numbers?.maximum == 8, "in scalars")
    let gone = try source.column("gone")
    #expect(gone.set == 1 && gone.setShare == 0.25 && gone.missing == 0)
    let created = try source.column("created")
    #expect(created.first?.milliseconds == 10 && created.last?.milliseconds == 11 && created.missing == 2)
    #expect(try source.column("updated").first?.milliseconds == 20)
    #expect(try source.column("latitude").missing == 1)

    let swipes = try report.source("likes")
    #expect(swipes.accounts == [6, 4, 0, 0, 2])
    #expect(
      swipes.pairs
        == DataReport.Pairs(users: 2, candidates: 3, repeated: 1, medianPerUser: 1, mostPerUser: 3))
    let value = try swipes.column("value")
    #expect(value.distinct == 2)
    #expect(
      value.top == [DataReport.Count(value: "yes (1)", rows: 3), DataReport.Count(value: "no (-1)", rows: 1)])
    #expect(try swipes.column("at").last?.milliseconds == 900)
  }

  @Test func `an empty export gives an empty report`() throws {
    let (report, _) = try checked(people: "")
    #expect(report.asOfFrom == "clock")
    let source = try report.source("people")
    #expect(source.kept == 0)
    #expect(try source.column("age").missingShare == nil)
    #expect(try source.column("age").numbers == nil)
    #expect(
      try report.source("likes").pairs
        == DataReport.Pairs(users: 0, candidates: 0, repeated: 0, medianPerUser: 0, mostPerUser: 0))
    #expect(report.lines(.text(width: nil)).contains { $0.contains("no rows: check") })
    #expect(try JSONDecoder().decode(DataReport.self, from: Data(report.json)) == report)
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  func `the figures equal a naive count over the snapshot`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func pick(_ values: [String]) -> String { values.randomElement(using: &random) ?? "" }
    let count = Int.random(in: 1...80, using: &random)
    let people = (0..<count).map { index in
      "p\(index),\(pick(["", "10", "60", "7"])),,\(pick([",", "1,2", "50.25,8.5", "-9,3"])),"
        + "\(pick(["", "f", "g", "é", "e\u{301}", "h", "=i"])),\(pick(["", "1", "2.5", "-7", "1e9", "x"])),"
        + "\(pick(["", "1", "0"])),\(pick(["", "b", "bb", "🐕"]))\n"
    }.joined()
    let likes = (0..<150).map { _ in
      "p\(Int.random(in: 0..<count, using: &random)),p\(Int.random(in: 0..<count, using: &random)),"
        + "\(Int.random(in: 1...60, using: &random)),\(pick(["yes", "no", "no"]))\n"
    }.joined()
    let (report, night) = try checked(people: people, likes: likes, asOf: Instant(milliseconds: 50))

    for source in report.sources {
      #expect(
        source.accounts
          == night.accounts(source.name))
    }
    let source = try report.source("people")
    let table = try #require(try night.snapshot().entities["people"])
    let ages = (table.numbers["age"]?.elements ?? []).filter { !$0.isNaN }.sorted()
    let age = try source.column("age")
    #expect(age.missing == table.count - ages.count)
    #expect(age.numbers?.minimum == ages.first)
    #expect(age.numbers?.maximum == ages.last)
    if !ages.isEmpty { #expect(age.numbers?.median == ages[(ages.count + 1) / 2 - 1]) }
    let fields = try #require(table.categories["field"])
    var counts: [[UInt8]: Int] = [:]
    for code in fields.codes.elements where code != CategoryColumn.missing {
      counts[Array(fields.vocabulary.string(Int(code)).utf8), default: 0] += 1
    }
    let field = try source.column("field")
    #expect(field.distinct == counts.count)
    #expect(field.top?.count == counts.count)
    for entry in field.top ?? [] { #expect(counts[Array(entry.value.utf8)] == entry.rows) }
    let order = (field.top ?? []).map(\.rows)
    #expect(order == order.sorted(by: >))
    #expect(try source.column("gone").set == table.flags["gone"]?.elements.count { $0 == 1 })
    let latitudes = (table.latitude?.elements ?? []).filter { !$0.isNaN }
    #expect(
      source.positions
        == DataReport.Positions(without: table.count - latitudes.count, cells: Set(latitudes).count))

    let interactions = try #require(try night.snapshot().interactions["likes"])
    var pairs: [[UInt32]: Int] = [:]
    for (user, candidate) in zip(interactions.user.elements, interactions.candidate.elements) {
      pairs[[user, candidate], default: 0] += 1
    }
    let perUser = Dictionary(grouping: interactions.user.elements) { $0 }.values.map(\.count).sorted()
    #expect(
      try report.source("likes").pairs
        == DataReport.Pairs(
          users: perUser.count, candidates: Set(interactions.candidate.elements).count,
          repeated: pairs.values.count { $0 > 1 },
          medianPerUser: perUser.isEmpty ? 0 : perUser[(perUser.count + 1) / 2 - 1],
          mostPerUser: perUser.last ?? 0))
  }

  @Test func `more than ten categories end in an ellipsis`() throws {
    let people = (0..<30).map { "p\($0),,,,,word\($0 < 18 ? $0 % 12 : 0),,,\n" }.joined()
    let (report, _) = try checked(people: people)
    let field = try report.source("people").column("field")
    #expect(field.distinct == 12)
    #expect(field.top?.count == 10)
    #expect(field.top?.first == DataReport.Count(value: "word0", rows: 14))
    // The words with two rows come first, then the words with one row in byte order.
    #expect(field.top?.map(\.value).suffix(5) == ["word5", "word10", "word11", "word6", "word7"])
    #expect(report.lines(.text(width: nil)).contains { $0.contains("…") })
  }

  @Test func `JSON has the same keys every run, and parses`() throws {
    let (report, _) = try checked(people: "a,,,1,1,f,1,1,b\nb,,,,,,,,\n,,,,,,,,\n", likes: "a,b,1,yes\n")
    let again = try JSONDecoder().decode(DataReport.self, from: Data(report.json))
    #expect(again == report)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(report.json)) as? [String: Any])
    #expect(
      object.keys.sorted() == [
        "as_of", "as_of_from", "expectations", "pipeline", "problems", "reach", "snapped_to_precision",
        "sources",
      ])
    let sources = try #require(object["sources"] as? [[String: Any]])
    #expect(
      sources[0].keys.sorted() == [
        "absent_fields", "columns", "dangling", "erased", "files", "kept", "kind", "later", "merged", "name",
        "not_allowed", "positions", "read", "rejected", "rules",
      ])
    #expect(sources[1].keys.contains("pairs"))
  }

  private static let naughty = [
    "\u{1B}[2J", "\u{7}", "\u{9B}31m", "\u{202E}abc", "a\rb", "\u{85}", "=1+1",
    "日本語のとても長い名前でございます日本語のとても長い名前",
    "e" + String(repeating: "\u{301}", count: 127), "🐕", "\\u001b", "\u{2028}",
  ]

  @Test(arguments: naughty) func `an export cannot send control sequences to a terminal`(text: String) throws
  {
    let row = "\"\(text)\""
    let (report, _) = try checked(
      people: "a,,,,,\(row),,,\(row)\nb,,,,,x,\(row),,\n", likes: "a,\(row),1,yes\n")
    let lines = report.lines(.text(width: nil))
    for scalar in (lines.joined() + String(decoding: report.json, as: UTF8.self)).unicodeScalars {
      let isTurning = (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      #expect(
        (scalar.properties.generalCategory != .control || scalar == "\n") && !isTurning
          && scalar != "\u{2028}")
    }
    for line in lines { #expect(!line.contains("\n") && line.terminalColumns <= 130, "\(line)") }
    let field = try report.source("people").column("field")
    #expect(field.top?.contains { $0.value.utf8.elementsEqual(text.utf8) } == true, "the bytes stay")
    #expect(try JSONDecoder().decode(DataReport.self, from: Data(report.json)) == report)
  }

  @Test func `the report contains no data of erased people`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(Night.peopleHeader + "a,,,,,Arts,,,\nb,,,,,Law,,,\nc,,,,,CANARY,,,\n", to: "people.csv")
    try scratch.write(Night.likesHeader + "a,b,1,yes\nc,a,2,yes\nb,c,3,no\n", to: "likes.csv")
    let pipeline = try Pipeline(yaml: Night.yaml(), file: scratch("p.yaml"))
    let directory = TombstoneDirectory(scratch("erasures"))
    _ = try directory.add([(id: Array("c".utf8), entity: "people")])
    func report(_ tombstones: TombstoneSet) -> DataReport {
      DataCheck(pipeline, asOf: nil, clock: Night.clock, previous: nil, tombstones: tombstones).report
    }
    #expect(String(decoding: report(.none).json, as: UTF8.self).contains("CANARY"))
    let erased = report(try directory.load())
    #expect(!String(decoding: erased.json, as: UTF8.self).contains("CANARY"))
    #expect(try erased.source("people").kept == 2 && erased.source("likes").kept == 1)
    #expect(try erased.source("people").erased == 1 && erased.source("likes").erased == 2)
    for source in erased.sources {
      #expect(source.read == source.kept + source.erased, "\(source.name)")
    }
    #expect(
      erased.lines(.text(width: nil)).contains { $0.hasSuffix("3 rows read: 1 kept, 0 rejected, 2 erased") })
    #expect(report(.none).sources.allSatisfy { $0.erased == 0 })
  }

  @Test func `an unreadable source is a problem, and the rest is reported`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(Night.peopleHeader + "a,,,,,,,,\n", to: "people.csv")
    try scratch.write("a,b,t\n", to: "likes.csv")
    let pipeline = try Pipeline(yaml: Night.yaml(), file: scratch("p.yaml"))
    let check = DataCheck(pipeline, asOf: nil, clock: Night.clock, previous: nil)
    #expect(check.report.sources.map(\.name) == ["people"])
    #expect(check.problems.count == 1)
    #expect(check.problems.first?.description.contains("'v'") == true)
    #expect(check.report.problems == check.problems.map(\.description))
    // Each source that cannot be read is a problem of its own.
    let more = Night.yaml().replacing(
      "interactions:\n",
      with:
        "interactions:\n  views: { source: { path: views.csv }, user: a, candidate: b, at: t, value: v }\n")
    try scratch.write("a,b\n", to: "views.csv")
    let both = DataCheck(
      try Pipeline(yaml: more, file: scratch("p.yaml")), asOf: nil, clock: Night.clock, previous: nil)
    let found = both.problems.map(\.description)
    #expect(found.count == 2 && found.contains { $0.contains("likes.csv") })
    #expect(found.contains { $0.contains("views.csv") })
    // Without people, their interactions cannot be read either. Only one problem is reported.
    try scratch.write("nothing\n", to: "people.csv")
    try scratch.write(Night.likesHeader, to: "likes.csv")
    let other = DataCheck(pipeline, asOf: nil, clock: Night.clock, previous: nil)
    #expect(other.report.sources.isEmpty)
    #expect(other.problems.count == 1)
  }

  @Test func `too many rejects are a problem of each source, and are counted`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write(Night.peopleHeader + "a,,,,,,,,\nb,,,,,,,,\n,,,,,,,,\n", to: "people.csv")
    try scratch.write(Night.likesHeader + "a,a,1,yes\na,z,1,yes\na,b,1,?\n", to: "likes.csv")
    let pipeline = try Pipeline(yaml: Night.yaml(limit: "0.3"), file: scratch("p.yaml"))
    let check = DataCheck(pipeline, asOf: nil, clock: Night.clock, previous: nil)
    #expect(check.problems.count == 2)
    #expect(check.problems.allSatisfy { $0.error is RowLimitExceeded })
    #expect(check.problems.allSatisfy { !$0.description.contains("rejects.csv") })
    #expect(check.report.sources.map(\.rejected) == [1, 1])
    #expect(check.report.sources.map(\.dangling) == [0, 1])
    #expect(check.report.sources.map(\.notAllowed) == [0, 1])
    let outcomes = check.report.sources[1].rules.map { "\($0.rule) \($0.outcome)" }
    #expect(
      outcomes == ["self_interaction not_allowed", "unknown_candidate dangling", "unknown_value rejected"])
  }
}

@Suite struct QuantileTests {
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `a quantile is the first element that enough elements do not exceed`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let values = (0..<Int.random(in: 1...300, using: &random)).map { _ in
      Int.random(in: 0...50, using: &random)
    }.sorted()
    for percent in 0...100 {
      let slow = values.first { value in 100 * values.count { $0 <= value } >= percent * values.count }
      #expect(values.quantile(percent) == slow)
    }
  }

  @Test func `an empty array has no quantile`() {
    #expect([Int]().quantile(50) == nil)
  }
}
