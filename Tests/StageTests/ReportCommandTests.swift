import Foundation
import FoundationXML
import Testing
import TestSupport
import Text

/// Runs `nightjar report` as a user does.
@Suite struct ReportCommandTests {
  @Test func `every number on the page is the rounded exact value`() throws {
    let page = try ReportPage(ReportedFusion.shared.get().page)
    let figures = try page.figures()
    #expect(figures.count > 100)
    for figure in figures where !figure.isRounded { Issue.record("'\(figure.text)' of \(figure.value)") }
  }

  @Test func `the headline equals metrics.json`() throws {
    let report = try ReportedFusion.shared.get()
    let page = try ReportPage(report.page)
    let ranking = try #require(report.metrics()["rankings"]?["partners"])
    let interval = try #require(ranking["clusters"]?.integerValue) >= 5 ? "interval_by_cluster" : "interval"
    let names = [
      "pipeline": "this pipeline", "everybody": "one model for all",
      "like_rate": "highest share of likes first",
      "popular": "most popular first",
      "nearest": "nearest first", "random": "random order",
    ]
    func numbers(_ estimate: JSONValue?) -> [Double] {
      ([estimate?["mean"]].compactMap(\.self) + (estimate?[interval]?.elements ?? [])).compactMap(
        \.numberValue)
    }
    for (method, name) in names {
      let cells = try page.row(name, in: "headline", caption: "each method")
      try #require(cells.count == 5)
      let figures = ranking["methods"]?[method]
      #expect(ReportPage.values(cells[1]) == numbers(figures?["finding"]?["ndcg@10"]))
      #expect(ReportPage.values(cells[3]) == numbers(figures?["ordering"]?["auc"]))
      guard method != "pipeline" else { continue }
      for (cell, metric) in [(cells[2], "ndcg@10"), (cells[4], "auc")] {
        let expected = numbers(ranking["differences"]?[method]?[metric])
        try #require(expected.count == 3)
        #expect(ReportPage.values(cell) == expected)
        // A number is bold only if the interval excludes 0.
        let isBold = !ReportPage.elements("strong", in: cell).isEmpty
        #expect(isBold == (expected[1] > 0 || expected[2] < 0), "\(name) in \(metric)")
      }
    }
  }

  @Test func `the funnel and the rejects equal the manifests`() throws {
    let report = try ReportedFusion.shared.get()
    let page = try ReportPage(report.page)
    let lists = try #require(
      (report.run.manifest("rankings")["counts"] as? [String: Any])?["lists"] as? [String: Any])
    let users = try #require((lists["partners"] as? [String: Any])?["users"] as? [String: Any])
    let total = try #require(users["total"] as? Int)
    let full = try #require(users["full_lists"] as? Int)
    let cells = try page.row("with a full list of 10", in: "funnel", caption: "Users of")
    #expect(ReportPage.values(cells[1]) == [Double(full)])
    #expect(ReportPage.values(cells[2]) == [Double(full) / Double(total)])
    let sources = try #require(
      (report.run.manifest("snapshot")["counts"] as? [String: Any])?["sources"] as? [String: [String: Any]])
    for (name, counts) in sources {
      let cells = try page.row(name, in: "data", caption: "Rows by")
      #expect(ReportPage.values(cells[1]) == [Double(try #require(counts["read"] as? Int))])
      for (index, outcome) in ["rejected", "dangling", "not_allowed"].enumerated() {
        let rows = (counts[outcome] as? [String: Int] ?? [:]).values.reduce(0, +)
        #expect(ReportPage.values(cells[3 + index]).first == Double(rows), "\(name) \(outcome)")
      }
    }
  }

  @Test func `the same run gives the same bytes`() throws {
    let report = try ReportedFusion.shared.get()
    let again = try ScratchDirectory()
    let ended = try ReportedFusion.report(report.run, ["--out", again.path, "--quiet"])
    #expect(ended.ending == .status(0) && ended.errors == "")
    #expect(try again.bytes("fusion.html") == Array(Data(contentsOf: URL(filePath: report.page))))
  }

  @Test func `only charts of an earlier report that are no longer used are removed`() throws {
    let report = try ReportedFusion.shared.get()
    let out = try ScratchDirectory()
    for name in ["fusion/old.svg", "fusion/old.csv", "fusion/mine.csv", "fusion/compare-1-2.html"] {
      try out.write("x", to: name)
    }
    try #require(ReportedFusion.report(report.run, ["--out", out.path]).ending == .status(0))
    #expect(!out.exists("fusion/old.svg") && !out.exists("fusion/old.csv"))
    #expect(out.exists("fusion/mine.csv") && out.exists("fusion/compare-1-2.html"))
    #expect(out.exists("fusion/funnel-partners.svg") && out.exists("fusion/funnel-partners.csv"))
  }

  @Test func `no id and no position is on the page`() throws {
    let report = try ReportedFusion.shared.get()
    let text = try String(contentsOfFile: report.page, encoding: .utf8)
    let ids = try SmallFusion.exports.get().documents().map(RawDocument.id)
    #expect(ids.count > 100)
    for id in ids where text.contains(id) { Issue.record("\(id) is on the page") }
  }

  @Test func `a run without an evaluation has a report with advice`() throws {
    let run = try FusionRun(copying: SmallFusion.run.get())
    let report = try ReportedFusion(run, ["--run", "1"])
    let page = try ReportPage(report.page)
    #expect(try page.texts("//ul[@class='checks']//p[@class='check-figure']").contains("not evaluated"))
    #expect(
      try page.only("//section[h2/@id='headline']//p[@class='note']").contains(
        "nightjar run PIPELINE --evaluate"))
    #expect(try page.row("all users", in: "funnel", caption: "Users of").count == 3)
  }

  @Test func `invalid calls and missing runs have their statuses`() throws {
    let run = try SmallFusion.run.get()
    let out = try ScratchDirectory()
    func status(_ arguments: String...) throws -> Program.Ending {
      try ReportedFusion.report(run, ["--out", out("x")] + arguments).ending
    }
    // The run is incomplete, because it stopped after the rankings.
    #expect(try status() == .status(66))
    #expect(try status("--run", "7") == .status(66))
    #expect(try status("--run", out("nowhere")) == .status(66))
    #expect(try status("--rnu", "1") == .status(64))
    #expect(try status("--run", "1", "--set", "pipeline=other") == .status(66))
    #expect(try status("--run", run.path, "--set", "pipeline=other") == .status(65))
    #expect(try status("--run", "1", "--set", "rankings.partners.tops=3") == .status(78))
    #expect(!out.exists("x"))
    try out.write("in the way", to: "x")
    #expect(try status("--run", "1") == .status(73))
  }
}
