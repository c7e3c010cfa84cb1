import Foundation
import Testing
import TestSupport

/// Opens reports in a browser as readers do: in light and dark mode, on a phone and on paper.
@Suite struct ReportBrowserTests {
  private func look(at page: String, charts: Int, without fonts: String? = nil) throws {
    let pictures = try ScratchDirectory()
    let views = try BrowserTool.views(of: page, pictures: pictures.path, without: fonts)
    #expect(views.keys.sorted() == ["dark", "light", "phone", "phone-dark", "print"])
    for (name, view) in views {
      #expect(view.findings == [], "\(name)")
      guard name != "print" else { continue }
      #expect(view.charts == charts, "\(name)")
      #expect(try #require(view.lowestContrast) >= 4.5)
      // A picture with a single color would be smaller.
      #expect(try pictures.bytes(name + ".png").count > 20_000)
    }
    #expect(views["light"]?.background != views["dark"]?.background)
    #expect(try #require(views["print"]?.pages) >= 1)
  }

  @Test(.enabled(if: BrowserTool.isAvailable, "needs Chromium: make tools"))
  func `the bundled report is readable everywhere`() throws {
    let run = try ReportedFusion.shared.get().run
    let out = try ScratchDirectory()
    let ended = try Program.run(
      "nightjar-report", run.chosen + ["--out", out.path])
    try #require(ended.ending == .status(0), "\(ended.errors)")
    let page = try ReportPage(out("fusion.html"))
    let charts = try page.nodes("//figure").count
    #expect(charts > 8)
    try look(at: out("fusion.html"), charts: charts)
    try look(at: out("index.html"), charts: 0)
    // An analyst also gets a drawing and the data of each chart.
    let beside = out.files.filter { $0.hasPrefix("fusion/") }
    #expect(
      beside.count { $0.hasSuffix(".svg") } == charts && beside.count { $0.hasSuffix(".csv") } == charts)
  }

  @Test(.enabled(if: BrowserTool.isAvailable && BrowserTool.hasAxe, "needs Chromium and axe: make tools"))
  func `the accessibility checker finds planted faults`() throws {
    let directory = try ScratchDirectory()
    let page = directory("page.html")
    try Data("<title>A page</title><h1>A page</h1><main><button></button></main>".utf8)
      .write(to: URL(filePath: page))
    let findings = try #require(try BrowserTool.views(of: page, pictures: directory.path)["light"]?.findings)
    for rule in ["axe html-has-lang: ", "axe button-name: "] {
      #expect(findings.contains { $0.hasPrefix(rule) }, "\(rule) \(findings)")
    }
  }

  @Test(
    .enabled(if: BrowserTool.isAvailable, "needs Chromium: make tools"),
    .enabled(if: BrowserTool.hasFonts, "needs fonts: make tools"))
  func `24 groups with unusual and long names fit with any font`() throws {
    let world = try ReportWorld(people: 480, swipes: 24, words: NaughtyWords.all, taste: .words)
    let page = try world.reported()
    let charts = try ReportPage(page).nodes("//figure").count
    try look(at: page, charts: charts)
    try look(at: page, charts: charts, without: BrowserTool.usualFonts)
  }
}
