import Files
import Foundation
import FoundationXML
import TestSupport
import Testing
import Text

@testable import Reports

/// The Atom feed of a folder of reports, read back as XML.
@Suite struct ReportFeedTests {
  private static func run(_ number: Int, started: Int64, asOfFrom: JSONValue = "clock") throws -> ReportedRun
  {
    var world = try RunByHand()
    world.asOfFrom = asOfFrom
    try world.writeTimes([world.asOf.milliseconds])
    world.record = .init(number: number, started: Instant(milliseconds: started), generations: [])
    return try world.run()
  }

  /// Writes the index of pipelines with two runs each, and returns the feed's elements by path.
  private static func feed(_ names: [String], in scratch: ScratchDirectory, runs: [Int64] = [1000, 2000])
    throws
    -> (String) -> [String]
  {
    let entries = try names.map { name in
      PipelineRuns(
        name: name, runs: try runs.enumerated().map { try run($0 + 1, started: $1) }, unfinished: [],
        unreadable: [])
    }
    _ = try ReportIndex.write(entries, to: scratch.path, tool: "nightjar <0>")
    let text = try scratch.text("feed.xml").replacing(" xmlns=\"http://www.w3.org/2005/Atom\"", with: "")
    let document = try XMLDocument(xmlString: text)
    return { path in (try? document.nodes(forXPath: path))?.map { $0.stringValue ?? "" } ?? [] }
  }

  @Test(arguments: ["fusion", "a <b> & \"c\"", "]]></title>", "\u{202E}x\u{0}\u{FFFE}", "漢字 #?/"])
  func `a feed has what Atom requires, for any name`(_ name: String) throws {
    let scratch = try ScratchDirectory()
    let nodes = try Self.feed([name], in: scratch)
    for path in ["/feed/id", "/feed/title", "/feed/updated", "/feed/author/name", "/feed/link[@rel='self']"] {
      #expect(nodes(path).count == 1, "\(path)")
    }
    #expect(nodes("/feed/entry/updated") == ["1970-01-01T00:00:02Z", "1970-01-01T00:00:01Z"])
    #expect(nodes("/feed/updated") == ["1970-01-01T00:00:02Z"])
    let shown = ShownText.encoded(name).replacing("\u{FFFE}", with: "\u{FFFD}")
    #expect(nodes("/feed/entry/title")[0] == "\(shown), run 2: Unknown")
    let ids = nodes("/feed/id | /feed/entry/id")
    #expect(Set(ids).count == 3 && ids.allSatisfy { NamedUUID(urn: $0) != nil })
    #expect(nodes("/feed/entry/link/@href").allSatisfy { $0.hasPrefix("index.html#pipeline-") })
    #expect(nodes("/feed/entry/summary").allSatisfy { $0.hasPrefix("The quality of the lists is unknown") })
    #expect(try scratch.text("index.html").contains("type=\"application/atom+xml\""))
  }

  @Test func `the same runs give the same bytes, and the feed keeps its id`() throws {
    let scratch = try ScratchDirectory()
    let first = try Self.feed(["b", "a"], in: scratch)("/feed/id")
    let bytes = try scratch.text("feed.xml")
    _ = try Self.feed(["b", "a"], in: scratch)
    #expect(try scratch.text("feed.xml") == bytes)
    #expect(try Self.feed(["a"], in: scratch, runs: [5000])("/feed/id") == first)
  }

  @Test func `the newest run links to its page, and without runs there is no feed`() throws {
    let scratch = try ScratchDirectory()
    try scratch.write("x", to: "a.html")
    let links = try Self.feed(["a"], in: scratch)("/feed/entry/link/@href")
    #expect(links == ["a.html", "index.html#pipeline-a"])
    _ = try ReportIndex.write([], to: scratch.path, tool: "nightjar 0")
    #expect(!scratch.exists("feed.xml"))
    #expect(try !scratch.text("index.html").contains("atom+xml"))
  }

  @Test func `runs of one time are ordered by pipeline, then the newest first`() throws {
    let titles = try Self.feed(["b", "a"], in: ScratchDirectory(), runs: [1000, 1000])("/feed/entry/title")
    let expected = ["a, run 2", "a, run 1", "b, run 2", "b, run 1"].map { $0 + ": Unknown" }
    #expect(titles == expected)
  }

  @Test func `a run as of a given time has this time instead of its start`() throws {
    let scratch = try ScratchDirectory()
    let runs = [try Self.run(1, started: 1000, asOfFrom: "given")]
    let entry = PipelineRuns(name: "a", runs: runs, unfinished: [], unreadable: [])
    _ = try ReportIndex.write([entry], to: scratch.path, tool: "nightjar 0")
    let text = try scratch.text("feed.xml")
    #expect(text.ranges(of: "<updated>2023-11-14T22:13:20Z</updated>").count == 2)
    #expect(!text.contains("1970"))
  }

  @Test func `a failed night has an entry, and the entry of the last complete run stays`() throws {
    let scratch = try ScratchDirectory()
    let runs = [try Self.run(1, started: 1000)]
    var entry = PipelineRuns(name: "a", runs: runs, unfinished: [], unreadable: [])
    func feed() throws -> [String] {
      _ = try ReportIndex.write([entry], to: scratch.path, tool: "nightjar 0")
      return try scratch.text("feed.xml").components(separatedBy: "<entry>")
    }
    let before = try feed()
    entry.unfinished = [
      UnfinishedRun(number: 2, failure: nil),
      UnfinishedRun(number: 3, failure: ("ingest", 66), at: Instant(milliseconds: 3000)),
    ]
    let after = try feed()
    #expect(before.count == 2 && after.count == 3, "run 2 may still be running")
    #expect(after[0].contains("<updated>1970-01-01T00:00:03Z</updated>"))
    #expect(after[1].contains("<title>a, run 3 failed in ingest (status 66)</title>"))
    #expect(after[1].contains("The last complete run is run 1."))
    #expect(after[2] == before[1])
  }

  @Test func `the changes in a summary are sentences`() throws {
    var worlds = [try RunByHand(), try RunByHand()]
    worlds[0].lists = ["near": RunByHand.list(users: 100, full: 20, empty: 50)]
    worlds[0].record = .init(number: 1, started: nil, generations: [])
    let scratch = try ScratchDirectory()
    let entry = PipelineRuns(name: "a", runs: try worlds.map { try $0.run() }, unfinished: [], unreadable: [])
    _ = try ReportIndex.write([entry], to: scratch.path, tool: "nightjar 0")
    let text = try scratch.text("feed.xml").replacing("\u{A0}", with: " ")
      .replacing("\u{202F}", with: " ")
    #expect(text.contains("from 50.0 % in run 1 to 100 %. Full lists of near: from 20.0 %"), "\(text)")
  }
}
