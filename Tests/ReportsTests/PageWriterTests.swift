import Files
import TestSupport
import Testing
import Text

@testable import Reports

/// A page and the files of its charts.
@Suite struct PageWriterTests {
  private static func page(_ blocks: [Block]) -> Page {
    Page(
      title: "title", kind: "Test", subtitle: "subtitle", mark: .good, question: "Is it?", answer: "Yes",
      verdict: "verdict", checks: [], notices: [],
      sections: [
        Section(id: "first", title: "First", blocks: blocks),
        Section(id: "second", title: "Second", blocks: []),
      ], footer: "footer")
  }

  private static func chart() throws -> Block {
    let figures: JSONValue = ["slice": "Cork", "users": 30, "auc": Found.estimate(0.6, 0.5...0.7)]
    let slicings = ReportedSlicing.all(
      of: Found.judged(Found.ranking(more: ["slices": ["city": .array([figures])]])))
    return try #require(slicings.first?.blocks.first)
  }

  @Test func `each chart has its numbers and its specification, and those of earlier pages go`() throws {
    let scratch = try ScratchDirectory()
    let writer = PageWriter(directory: scratch("report"), charts: nil)
    let place = "report/figures"
    for name in ["old.vl.json", "old.csv", "other.txt"] { try scratch.write("x", to: "\(place)/\(name)") }
    let written = try writer.write(Self.page([Self.chart()]), to: "index.html", figures: "figures")
    #expect(written.path == scratch("report/index.html"))
    #expect(written.chartsMissing?.hasPrefix("the chart program is not installed") == true)
    #expect(
      try Directories.names(in: scratch(place)).sorted() == [
        "other.txt", "slices-city-near.csv", "slices-city-near.vl.json",
      ])
    #expect(
      try scratch.text("\(place)/slices-city-near.csv") == "group,users,auc,low,high\nCork,30,0.6,0.5,0.7\n")
    #expect(try scratch.text("\(place)/slices-city-near.vl.json").contains("\"layer\""))
    let html = try scratch.text("report/index.html")
    #expect(html.contains("This page has no charts, because the chart program is not installed"))
    #expect(html.contains("<span class=\"ordinal\">1</span> First</h2>"))
    #expect(html.contains("<span class=\"ordinal\">2</span> Second</h2>"))
  }

  @Test func `a page without charts needs no program and no folder`() throws {
    let scratch = try ScratchDirectory()
    let written = try PageWriter(directory: scratch("report"), charts: nil)
      .write(Self.page([.note("nothing")]), to: "index.html", figures: "figures")
    #expect(written.chartsMissing == nil)
    #expect(try Directories.names(in: scratch("report")) == ["index.html"])
    #expect(try !scratch.text("report/index.html").contains("This page has no charts"))
  }
}
