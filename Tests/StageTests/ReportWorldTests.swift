import Foundation
import FoundationXML
import Testing
import TestSupport

/// Reports about unusual data.
@Suite struct ReportWorldTests {
  /// The people are in 24 groups whose names contain markup.
  @Test func `words from data are escaped on a page`() throws {
    let world = try ReportWorld(people: 480, swipes: 24, words: NaughtyWords.all, taste: .words)
    let page = try ReportPage(world.reported())
    #expect(try page.nodes("//script | //img | //iframe | //b | //@onerror | //@onfocus | //@style").isEmpty)
    let groups = try page.texts("//section[h2/@id='slices']//tbody/tr/th")
    for word in NaughtyWords.all
    where word.unicodeScalars.allSatisfy({ $0.value != 0x202E && $0.value != 0x202C }) {
      let shown = word.split { $0.isWhitespace && $0 != "\u{A0}" }.joined(separator: " ")
      #expect(groups.contains { Array($0.utf8) == Array(shown.utf8) }, "\(word)")
    }
    // Characters that would reverse the direction of the page are escaped.
    #expect(groups.contains("\\u202etxt.exe\\u202c"))
    for figure in try page.figures() where !figure.isRounded {
      Issue.record("'\(figure.text)' of \(figure.value)")
    }
    #expect(
      try page.only("//section[h2/@id='verdict']/p").contains("cores put later likes above later passes"))
  }

  @Test func `random likes give the verdict that nothing was learned`() throws {
    let world = try ReportWorld(people: 300, swipes: 20, words: ["one", "two", "three"], taste: .nobody)
    let page = try ReportPage(world.reported())
    #expect(try page.only("//section[h2/@id='verdict']/p").hasPrefix("The model learned nothing"))
    #expect(try page.only("//section[h2/@id='verdict']/h2").hasSuffix("No"))
  }

  @Test func `a single user has no figures`() throws {
    let world = try ReportWorld(people: 1, swipes: 3, words: ["one"], taste: .words)
    let page = try ReportPage(world.reported())
    #expect(try page.only("//section[h2/@id='headline']//p[@class='note']").hasPrefix("Fewer than 10 users"))
    #expect(
      try page.texts("//section[h2/@id='slices']//p[@class='note']") == ["Every group is too small to show."])
    #expect(
      try page.only("//section[h2/@id='map']//p[@class='note']").hasPrefix("The map of people is hidden"))
    #expect(
      try page.only("//section[h2/@id='examples']//p[@class='note']").hasPrefix("This page shows no example"))
    #expect(!page.text.contains("person1000000") && !page.text.contains("nan") && !page.text.contains("inf "))
  }

  @Test func `a run with many rejects reports them first`() throws {
    let world = try ReportWorld(
      people: 200, swipes: 20, words: ["one", "two", "three"], taste: .words, spoilt: 0.25)
    let page = try ReportPage(world.reported())
    let verdict = try page.only("//section[h2/@id='verdict']/p")
    #expect(verdict.contains("a source is empty or has many rejected or dangling rows"), "\(verdict)")
    #expect(try page.only("//section[h2/@id='verdict']/h2").hasSuffix("With reservations"))
    let cells = try page.row("unknown_value", in: "data", caption: "Rejected, dangling")
    #expect(ReportPage.values(cells[3])[0] == 1000)
  }

  @Test func `a newer failed run comes first in a report`() throws {
    let world = try ReportWorld(people: 60, swipes: 10, words: ["one", "two", "three"], taste: .words)
    _ = try world.reported([])
    try world.directory.write("from,to,answer,at\nnobody,nobody,right,2024\n", to: "swipes.csv")
    let failed = try Program.run(
      "nightjar", ["run", world.directory("world.yaml"), "--work", world.directory("var")])
    #expect(failed.ending == .status(65))
    try #require(world.report([]).ending == .status(0))
    let page = try ReportPage(world.directory("reports/world.html"))
    #expect(try page.only("//section[h2/@id='verdict']/h2").hasSuffix("No"))
    #expect(try page.only("//section[h2/@id='verdict']/p").contains("run 2 failed in ingest (status 65)"))
  }

  @Test func `two runs are compared, and the index has both`() throws {
    let world = try ReportWorld(people: 120, swipes: 20, words: ["one", "two", "three"], taste: .words)
    _ = try world.reported()
    _ = try world.reported(["--evaluate", "--set", "rankings.partners.top=5"])
    let page = try ReportPage(world.directory("reports/world.html"))
    let drift = try page.texts("//section[h2/@id='changes']//table/tbody/tr/th")
    #expect(drift.contains("users served of partners") && drift.contains("AUC of partners"))
    #expect(
      try page.texts("//section[h2/@id='change']//li").contains {
        $0.contains("The pipeline file has changed since")
      })

    let index = try ReportPage(world.directory("reports/index.html"))
    #expect(
      try index.texts(
        "//section[h2/@id='pipeline-world']//table[contains(caption, 'Complete runs')]/tbody/tr/th") == [
          "2", "1",
        ])
    #expect(try index.nodes("//li[contains(@class, 'linked')]//a[@href='world.html']").count == 1)
    #expect(try index.nodes("//figure").count == 1)

    let compared = try world.report(["--compare", "1", "2"])
    #expect(compared.output == world.directory("reports/world/compare-1-2.html") + "\n", "\(compared.errors)")
    let comparison = try ReportPage(world.directory("reports/world/compare-1-2.html"))
    let settings = try comparison.row(
      "rankings.partners.top", in: "settings", caption: "Settings that differ")
    #expect(settings.dropFirst().map(ReportPage.plain) == ["10", "5"])
    #expect(try world.report(["--compare", "1"]).ending == .status(64))
    #expect(try world.report(["--compare", "1", "2", "--run", "1"]).ending == .status(64))
    #expect(try world.report(["--compare", "1", "9"]).ending == .status(66))
  }
}
