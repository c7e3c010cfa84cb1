import Files
import Foundation
import TestSupport
import Testing
import Text

@testable import Reports

/// The whole page of a run.
@Suite struct ReportPageTests {
  @Test func `a report has all sections in order`() throws {
    var world = try RunByHand()
    world.judged = ["near": Found.ranking()]
    try world.writePeople([(city: "Galway", latitude: 53, longitude: -9)])
    try world.scratch.write("cell,entities\nu281,40\n", to: "index/people/buckets.csv")
    try world.scratch.write(
      "{\"user\":\"a\",\"recommendations\":[{\"rank\":1,\"candidate\":\"b\"}]}\n",
      to: "rankings/near/part-00000.jsonl")
    let run = try world.run()
    let out = try ScratchDirectory()
    let path = try Report.write(run, previous: .read(run), later: [], to: out.path)
    #expect(path == out("small.html"))
    let html = try out.text("small.html")
    let ids = html.components(separatedBy: "<section aria-labelledby=\"").dropFirst().map {
      String($0.prefix { $0 != "\"" })
    }
    #expect(
      ids == [
        "changes", "data", "funnel", "headline", "slices", "calibration", "exposure", "taste", "map",
        "examples", "caveats", "run", "definitions",
      ])
    #expect(html.contains("<title>Morning report: small</title>"))
    #expect(html.contains("Run <data value=\"2\">2</data>, as of <time datetime=\"2023-11-14T22:13:20Z\">"))
    #expect(html.contains("Can this run be trusted? <span class=\"mark\">Yes</span>"))
    let change = try #require(html.firstRange(of: "id=\"change\""))
    let steps = try #require(html.firstRange(of: "id=\"steps\""))
    #expect(change.lowerBound < steps.lowerBound)
    #expect(html.contains("Made by nightjar 0. The data describe people"))
    #expect(html.contains("<li class=\"good\">"), "a check without a link must not look like one")
    #expect(out.exists("small/funnel-near.csv") && out.exists("small/map-people.svg"))
    // Without an evaluation or an earlier run, these sections are missing.
    world.judged = nil
    world.record = nil
    try FileManager.default.removeItem(atPath: world.scratch("evaluation"))
    _ = try Report.write(world.run(), previous: .none, later: [], to: out.path)
    let short = try out.text("small.html")
    let left = short.components(separatedBy: "<section aria-labelledby=\"").dropFirst().map {
      String($0.prefix { $0 != "\"" })
    }
    #expect(left == ["data", "funnel", "headline", "taste", "map", "examples", "run", "definitions"])
    #expect(short.contains("<p class=\"subtitle\">As of <time datetime=\"2023-11-14T22:13:20Z\">"))
  }
}

/// The text of the index page.
@Suite struct IndexPageTests {
  private static func html(_ entries: [PipelineRuns]) throws -> String {
    let scratch = try ScratchDirectory()
    let path = try ReportIndex.write(entries, to: scratch.path, tool: "nightjar 0")
    #expect(path == scratch("index.html"))
    return try scratch.text("index.html")
  }

  private static func entry(_ name: String, _ verdicts: [String?], unreadable: [Int] = []) throws
    -> PipelineRuns
  {
    let runs = try verdicts.enumerated().map { index, verdict in
      var world = try RunByHand()
      world.record = .init(number: index + 1, started: nil, generations: [])
      world.judged = verdict.map { word -> JSONValue in ["near": Found.ranking(verdict: word)] }
      return try world.run()
    }
    return PipelineRuns(name: name, runs: runs, unfinished: [], unreadable: unreadable)
  }

  @Test func `the index names all pipelines that need attention, or whose quality is unknown`() throws {
    let bad = try Self.html([
      Self.entry("a", ["beaten"]), Self.entry("b", ["useful"]), Self.entry("c", ["nothing_learned"]),
    ])
    #expect(bad.contains("<p class=\"sentence\">a and c need attention.</p>"))
    #expect(bad.contains("<section class=\"verdict bad\"") && bad.contains("<span class=\"mark\">Yes</span>"))
    let unknown = try Self.html([Self.entry("a", ["beaten", nil]), Self.entry("b", ["useful"])])
    #expect(unknown.contains("<p class=\"sentence\">The quality of a is unknown.</p>"))
    #expect(unknown.contains("<section class=\"verdict unknown\""))
    #expect(unknown.contains("attention? <span class=\"mark\">No</span>"))
    #expect(!unknown.contains("<nav"), "the index must not list its sections")
  }

  @Test func `runs that cannot be read are counted`() throws {
    let html = try Self.html([Self.entry("a", [], unreadable: [3, 5])])
    #expect(html.contains("This list omits <data value=\"2\">2</data>\u{A0}runs that this version"))
    #expect(html.contains("No complete run can be read.") && html.contains("No run <span"))
    #expect(html.contains("The quality of a is unknown."))
  }

  /// The texts of the table's cells, row by row.
  private static func rows(_ html: String) -> [[String]] {
    let table = html.components(separatedBy: "newest first</caption>").last ?? ""
    let rows = table.components(separatedBy: "</table>")[0].components(separatedBy: "<tr role=\"row\">")
    return rows.dropFirst(2).map { row in
      row.components(separatedBy: "<span class=\"value\">").dropFirst().map { cell in
        var (text, isTag) = ("", false)
        for character in cell.components(separatedBy: "</span>")[0] {
          if character == "<" || character == ">" {
            isTag = character == "<"
          } else if !isTag {
            text.append(character)
          }
        }
        return text.replacing("\u{A0}", with: " ").replacing("\u{202F}", with: " ")
      }
    }
  }

  @Test(arguments: [1, 2])
  func `each run has a row with its figures, the newest first`(_ count: Int) throws {
    var worlds = [try RunByHand(), try RunByHand()]
    for index in worlds.indices {
      worlds[index].record = .init(number: index + 1, started: nil, generations: [])
      worlds[index].asOf = Instant(milliseconds: Int64(1_700_000_000_000 + index * 60_000))
    }
    worlds[0].sources = ["swipes": ["read": 1200, "kept": 1080, "rejected": ["bad_id": 120]]]
    worlds[0].lists = ["near": RunByHand.list(users: 100, full: 25, empty: 20)]
    worlds[0].judged = ["near": Found.ranking()]
    let runs = try worlds.prefix(count).map { try $0.run() }
    let entry = PipelineRuns(name: "small", runs: runs, unfinished: [], unreadable: [])
    let first = [
      "1", "2023-11-14 22:13 UTC", "1 200", "10.0 %", "80.0 %", "25.0 %", "0.300", "0.700",
      "With reservations",
    ]
    let second = [
      "2", "2023-11-14 22:14 UTC", "100", "0 %", "100 %", "80.0 %", "–", "–", "With reservations",
    ]
    #expect(try Self.rows(Self.html([entry])) == (count == 1 ? [first] : [second, first]))
  }

  @Test func `only the last run has the later failures`() throws {
    var entry = try Self.entry("small", ["useful", "useful"])
    entry.unfinished = [UnfinishedRun(number: 3, failure: ("fit", 74))]
    let rows = try Self.rows(Self.html([entry]))
    #expect(rows.map(\.last) == ["No", "Yes"])
  }

  @Test(arguments: [
    ("fusion-2_a.html", "fusion-2_a.html"), ("a b/ä", "a%20b%2F%C3%A4"), ("\u{1}?", "%01%3F"),
  ])
  func `an address has percent-encoded bytes`(_ name: String, _ address: String) {
    #expect(name.asAddress == address)
  }

  @Test(arguments: [
    ("fusion-2_a", "fusion-2_a"), ("a b.ä", "a.20b.2e.c3.a4"), ("\u{1}", ".01"), ("\u{10}", ".10"),
  ])
  func `a file name has the bytes of other characters`(_ name: String, _ file: String) {
    #expect(name.fileName == file)
  }
}

/// Words, tables and chart data.
@Suite struct WordsTests {
  @Test func `only the first text of a sentence is capitalized`() {
    #expect(("ab \(.count(1)) cd" as Words).capitalized.plain == "Ab 1 cd")
    #expect(("\(.count(1)) cd" as Words).capitalized.plain == "1 cd")
    #expect(Words().capitalized.isEmpty && ("x" as Words).strong().capitalized.isStrong)
  }

  @Test func `a sentence is a link only if it has no other part`() {
    let link: Words = "\("here", to: "#a")"
    #expect(link.isLink && !("see " + link).isLink && !("x" as Words).isLink && !Words().isLink)
    #expect(link.pieces == [.link("here", to: "#a")])
  }

  @Test func `a count has its noun`() {
    let words: [Words] = [
      "\(0, "user")", "\(1, "user")", "\(2, "user")", "\(1, "entry", "entries")", "\(2, "entry", "entries")",
    ]
    #expect(words.map(\.shown) == ["0 users", "1 user", "2 users", "1 entry", "2 entries"])
  }

  @Test func `sentences are joined in order`() {
    let parts: [Words] = ["a", "\(.count(2))", "c"]
    let joined = parts.joined(separator: ", ")
    #expect(joined.plain == "a, 2, c" && joined.pieces.count == 5)
    #expect([Words]().joined(separator: ", ").isEmpty)
    #expect(("a" as Words).strong(false).shown == "a" && ("a" as Words).strong().shown == "*a*")
  }

  @Test func `chart data as CSV has an empty field for a missing number`() {
    var data = ChartData("name", "count", "value")
    data.add(.string("=a,b"), .integer(-3), .number(0.25))
    data.add(.string("c"), .null, .null)
    #expect(
      String(decoding: data.csv, as: UTF8.self) == "name,count,value\n\"'=a,b\",-3,0.25\nc,,\n")
  }

  @Test func `charts within details are found, in order`() {
    func chart(_ name: String) -> Block {
      let table = Table("none", [.text("Name")])
      return .figure(
        ChartFigure(
          name: name, title: "", description: "", data: ChartData("x"), chart: RowChart(rows: []),
          table: table))
    }
    let blocks: [Block] = [chart("a"), .details("more", [.note("x"), chart("b")]), .note("y"), chart("c")]
    #expect(blocks.charts.map(\.name) == ["a", "b", "c"])
  }

  @Test func `a table of more than three columns is stacked on phones, and an open table is open`() throws {
    func html(_ columns: Int, isOpen: Bool = false) -> String {
      let titles = (0..<columns).map { Table.Column.text("column \($0)") }
      var figure = ChartFigure(
        name: "a", title: "Title", description: "Words", data: ChartData("x"), chart: RowChart(rows: []),
        table: Table("none", titles))
      figure.isTableOpen = isOpen
      let page = Page(
        title: "t", kind: "k", subtitle: "s", mark: .good, question: "q", answer: "a", verdict: "v",
        checks: [
          Page.Check(mark: .good, title: "one", figure: "\("here", to: "#a")", meaning: "m")
        ],
        sections: [Section(id: "one", title: "One", blocks: [.figure(figure)])], footer: "f")
      return String(decoding: PageRenderer().html(page), as: UTF8.self)
    }
    #expect(html(4).contains("<table role=\"table\" class=\"stacks\">"))
    #expect(html(3).contains("<table role=\"table\">"))
    #expect(html(3, isOpen: true).contains("<details open>") && !html(3).contains("<details open>"))
    let page = html(3)
    #expect(page.contains("<li class=\"good linked\">") && page.contains("<a href=\"#a\">here</a>"))
    #expect(page.contains("<title>k: t</title>") && page.contains("<li><a href=\"#one\">One</a></li>"))
    #expect(page.contains("<title id=\"a-wide-title\">Title</title>"))
    #expect(page.contains("<desc id=\"a-narrow-description\">Words</desc>"))
  }
}
