import Files
import Foundation
import TestSupport
import Testing
import Text

@testable import Reports

/// Writes a page and the files of its charts.
@Suite struct PageWriterTests {
  private static func page(_ blocks: [Block]) -> Page {
    Page(
      title: "title", kind: "Test", subtitle: "subtitle", mark: .good, question: "Is it?", answer: "Yes",
      verdict: "verdict", checks: [],
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

  @Test func `each chart has files with its numbers and its drawing, and files of earlier pages are removed`()
    throws
  {
    let scratch = try ScratchDirectory()
    let writer = PageWriter(directory: scratch("report"))
    let place = "report/figures"
    let earlier = [
      "old.svg", "old.csv", "older.vl.json", "older.csv", "slices-city-near.vl.json", "mine.csv", "other.txt",
    ]
    for name in earlier { try scratch.write("x", to: "\(place)/\(name)") }
    let written = try writer.write(Self.page([Self.chart()]), to: "index.html", figures: "figures")
    #expect(written == scratch("report/index.html"))
    #expect(
      try Directories.names(in: scratch(place)).sorted() == [
        "mine.csv", "other.txt", "slices-city-near.csv", "slices-city-near.svg",
      ])
    #expect(
      try scratch.text("\(place)/slices-city-near.csv") == "group,users,auc,low,high\nCork,30,0.6,0.5,0.7\n")
    #expect(try scratch.text("\(place)/slices-city-near.svg").contains(">Cork</text>"))
    let html = try scratch.text("report/index.html")
    #expect(html.components(separatedBy: "<svg ").count == 1 + ChartLayout.allCases.count)
    #expect(html.contains("<span class=\"ordinal\">1</span> First</h2>"))
    #expect(html.contains("<span class=\"ordinal\">2</span> Second</h2>"))
  }

  @Test func `a page without charts needs no folder`() throws {
    let scratch = try ScratchDirectory()
    _ = try PageWriter(directory: scratch("report"))
      .write(Self.page([.note("nothing")]), to: "index.html", figures: "figures")
    #expect(try Directories.names(in: scratch("report")) == ["index.html"])
  }
}
