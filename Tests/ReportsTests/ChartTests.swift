import Foundation
import FoundationXML
import Geohash
import Concurrency
import TestSupport
import Testing

@testable import Reports

/// Draws all kinds of charts and reads the drawings as XML.
@Suite struct ChartTests {
  /// A chart that was drawn and parsed, so a test can read its shapes.
  private struct Drawn {
    let drawing: Drawing
    private let document: XMLDocument

    init(_ chart: any Chart, _ layout: ChartLayout) throws {
      drawing = chart.drawing(layout)
      let text = String(decoding: drawing.document(title: "a <title>"), as: UTF8.self)
      document = try XMLDocument(xmlString: text)
    }

    /// Returns the attributes of all elements with the name `name`, in order.
    func shapes(_ name: String) -> [[String: String]] {
      (document.rootElement()?.elements(forName: name) ?? []).map { element in
        Dictionary(
          (element.attributes ?? []).map { ($0.name ?? "", $0.stringValue ?? "") }, uniquingKeysWith: { $1 })
      }
    }

    var texts: [String] {
      (document.rootElement()?.elements(forName: "text") ?? []).compactMap(\.stringValue)
    }

    func numbers(_ name: String, _ attribute: String, where color: ChartColor? = nil) -> [Double] {
      shapes(name).filter { color == nil || $0["fill"] == color?.rawValue || $0["stroke"] == color?.rawValue }
        .compactMap { $0[attribute].flatMap(Double.init) }
    }

    /// The shapes and texts that exceed the drawing. The width of a text is an estimate.
    var outside: [String] {
      let frame = (x: -0.5...Double(drawing.width) + 0.5, y: -0.5...Double(drawing.height) + 0.5)
      var found: [String] = []
      for (name, pairs) in [
        "line": [("x1", "y1"), ("x2", "y2")], "rect": [("x", "y")], "circle": [("cx", "cy")],
        "text": [("x", "y")],
      ] {
        for shape in shapes(name) {
          for (x, y) in pairs {
            guard let x = shape[x].flatMap(Double.init), let y = shape[y].flatMap(Double.init),
              frame.x.contains(x + (shape["width"].flatMap(Double.init) ?? 0)), frame.x.contains(x),
              frame.y.contains(y + (shape["height"].flatMap(Double.init) ?? 0)), frame.y.contains(y)
            else {
              found.append("\(name) \(shape)")
              continue
            }
          }
        }
      }
      for (text, shape) in zip(texts, shapes("text")) {
        let width = TextWidth.of(text)
        let x = shape["x"].flatMap(Double.init) ?? 0
        let left =
          shape["text-anchor"] == "end" ? x - width : shape["text-anchor"] == "middle" ? x - width / 2 : x
        if !frame.x.contains(left) || !frame.x.contains(left + width) { found.append(text) }
      }
      return found
    }
  }

  private static let names = [
    "Cork", "a <b> & \"c\"", String(repeating: "long ", count: 60), "\u{202E}x", "漢字漢字", "",
  ]

  /// Charts of every kind with unusual names and extreme numbers.
  private static let charts: [any Chart] = [
    RowChart(
      rows: names.map {
        RowChart.Row(name: $0, marks: [.point(0.6, interval: (0.5, 0.7), band: (0.2, 0.9))])
      },
      title: "AUC", legend: names.map { ($0, .first) }, lines: [(0.5, true), (0.55, false)],
      contained: [0, 1]),
    RowChart(
      rows: names.map {
        RowChart.Row(name: $0, marks: [.bar(1_234_567, text: "1 234 567"), .bar(0, text: "0")])
      }),
    RowChart(rows: [RowChart.Row(name: "x", marks: [.point(1e300, interval: (-1e300, 1e308))])], title: "t"),
    RowChart(rows: [], title: "none"),
    CurveChart(
      curves: names.map { CurveChart.Curve(name: $0, points: [(0, 0), (0.5, 0.2), (1, 1)]) },
      titles: ("predicted", "liked"), hasMarks: true),
    CurveChart(curves: [CurveChart.Curve(name: "none", points: [])], titles: ("x", "y")),
    TrendChart(
      runs: (1...40).map { "run \($0)" },
      lines: [
        .init(name: "served", values: [nil, 0.5, nil] + Array(repeating: 0.7, count: 37), isShare: true),
        .init(name: "nDCG", values: Array(repeating: 0.1, count: 40), isShare: false),
      ]),
    TrendChart(runs: ["run 1"], lines: [.init(name: "served", values: [1], isShare: true)]),
    MapChart(
      cells: [Geohash("u33"), Geohash("u3d"), Geohash("gc7")].compactMap { $0 }.enumerated().map {
        ($1.boundingBox, 10 + 100 * $0)
      }),
  ]

  @Test(arguments: charts.indices, ChartLayout.allCases)
  func `all shapes of a chart are within its frame`(_ index: Int, _ layout: ChartLayout) throws {
    let drawn = try Drawn(Self.charts[index], layout)
    #expect(drawn.outside == [])
    #expect(drawn.drawing.width == Int(layout.width) && drawn.drawing.height > 20)
    #expect(!drawn.shapes("text").isEmpty)
    // A drawing in a file of its own has no style sheet, so it must not use variables.
    #expect(!String(decoding: drawn.drawing.document(title: "x"), as: UTF8.self).contains("var("))
    #expect(drawn.drawing.markup.contains("var(--"))
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `points, intervals and bands of rows are at their positions on the axis`(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let values = (0..<5).map { _ in Double.random(in: -2...2, using: &random) }
    let chart = RowChart(
      rows: values.map { value in
        let interval: RowChart.Ends = (value - 0.5, value + 0.25)
        return RowChart.Row(
          name: "row", marks: [.point(value, interval: interval, band: (value - 1, value + 1))])
      }, title: "t", lines: [(0, false)])
    let drawn = try Drawn(chart, .wide)
    let points = drawn.numbers("circle", "cx")
    try #require(points.count == values.count)
    // The first two points determine the axis.
    let pixels = (points[1] - points[0]) / (values[1] - values[0])
    func place(_ value: Double) -> Double { points[0] + (value - values[0]) * pixels }
    let tolerance = 0.1 + 0.2 * 4 / abs(values[1] - values[0])
    let starts: [Double] = drawn.numbers("line", "x1", where: ChartColor.first)
    let ends: [Double] = drawn.numbers("line", "x2", where: ChartColor.first)
    let lows: [Double] = drawn.numbers("rect", "x")
    let widths: [Double] = drawn.numbers("rect", "width")
    for (index, value) in values.enumerated() {
      let expected = [value, value - 0.5, value + 0.25, value - 1].map(place) + [2 * pixels]
      let found = [points[index], starts[index], ends[index], lows[index], widths[index]]
      for (one, other) in zip(found, expected) { #expect(abs(one - other) < tolerance) }
    }
    let line = try #require(drawn.numbers("line", "x1", where: ChartColor.faint).first)
    #expect(abs(line - place(0)) < tolerance)
    #expect(pixels > 0)
    let heights = drawn.numbers("circle", "cy")
    #expect(
      heights == heights.sorted() && Set(heights).count == 5, "the rows must be ordered from top to bottom")
  }

  @Test func `bars begin at zero and are as long as their values`() throws {
    let chart = RowChart(
      rows: [100, 50, 25].map { RowChart.Row(name: "step", marks: [.bar($0, text: "\(Int($0))")]) })
    let drawn = try Drawn(chart, .narrow)
    let widths = drawn.numbers("rect", "width")
    #expect(abs(widths[0] - 2 * widths[1]) < 0.2 && abs(widths[1] - 2 * widths[2]) < 0.2)
    #expect(Set(drawn.numbers("rect", "x")).count == 1)
    #expect(drawn.texts == ["step", "100", "step", "50", "step", "25"], "the chart must have no axis")
  }

  @Test func `curves rise from the lower left`() throws {
    let curve = CurveChart.Curve(name: "one", points: [(0, 0), (0.5, 0.25), (1, 1)])
    let drawn = try Drawn(CurveChart(curves: [curve], titles: ("x", "y"), hasMarks: true), .wide)
    // The first mark belongs to the legend.
    let (x, y) = (drawn.numbers("circle", "cx").dropFirst(), drawn.numbers("circle", "cy").dropFirst())
    let (across, up) = (Array(x), Array(y))
    #expect(abs((across[1] - across[0]) - (across[2] - across[1])) < 0.2 && across[0] < across[1])
    #expect(abs((up[0] - up[1]) * 4 - (up[0] - up[2])) < 0.5 && up[0] > up[1])
    let diagonal = try #require(drawn.shapes("line").first { $0["stroke-dasharray"] != nil })
    #expect(diagonal["x1"].flatMap(Double.init) == across[0] && diagonal["y2"].flatMap(Double.init) == up[2])
  }

  @Test func `a run without a value interrupts its line`() throws {
    let line = TrendChart.Line(name: "x", values: [0.1, 0.2, nil, 0.4, nil, 0.1, 0.5], isShare: false)
    let drawn = try Drawn(TrendChart(runs: (1...7).map { "\($0)" }, lines: [line]), .wide)
    #expect(drawn.shapes("circle").count == 5)
    #expect(drawn.shapes("path").map { $0["d"]?.count { $0 == "L" } } == [1, 1])
    #expect(drawn.texts.suffix(7) == ["1", "2", "3", "4", "5", "6", "7"])
  }

  @Test(arguments: [2, 7, 30])
  func `small multiples are in two columns, with the newest value`(_ runs: Int) throws {
    let lines = (0..<5).map { line in
      TrendChart.Line(
        name: "figure \(line)", values: (0..<runs).map { Double($0) / Double(runs) }, isShare: true)
    }
    let drawn = try Drawn(TrendChart(runs: (1...runs).map { "run \($0)" }, lines: lines), .wide)
    let titles = zip(drawn.texts, drawn.shapes("text")).filter { $0.0.hasPrefix("figure ") }.map(\.1)
    #expect(Set(titles.compactMap { $0["x"] }).count == 2 && Set(titles.compactMap { $0["y"] }).count == 3)
    let newest = Figure.share(Double(runs - 1) / Double(runs)).text
    #expect(drawn.texts.count { $0 == newest } >= 5 && drawn.texts.count { $0 == "run \(runs)" } == 5)
    #expect(drawn.shapes("circle").count == 5 * runs && drawn.outside == [])
  }

  @Test func `the newest run always has its name`() throws {
    let line = TrendChart.Line(name: "x", values: Array(repeating: 0.5, count: 99), isShare: false)
    let drawn = try Drawn(TrendChart(runs: (1...99).map { "run \($0)" }, lines: [line]), .narrow)
    let shown = drawn.texts.filter { $0.hasPrefix("run ") }
    #expect(shown.last == "run 99" && (2...6).contains(shown.count))
  }

  @Test func `north is up, east is right, and fuller cells are darker`() throws {
    let cells = try [("u33", 10), ("u36", 100), ("u39", 1000)].map {
      (try #require(Geohash($0.0)).boundingBox, $0.1)
    }
    let drawn = try Drawn(MapChart(cells: cells), .wide)
    let (x, y) = (drawn.numbers("rect", "x"), drawn.numbers("rect", "y"))
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
      #expect((cells[one].0.west < cells[other].0.west) == (x[one] < x[other]))
      #expect((cells[one].0.north > cells[other].0.north) == (y[one] < y[other]))
    }
    #expect(drawn.numbers("rect", "fill-opacity") == [0.22, 0.61], "the cell with the most people is opaque")
    #expect(drawn.texts.contains("N ↑") && drawn.texts.contains { $0.hasSuffix(" km") })
  }

  @Test(arguments: names, [20, 60, 150, 260] as [Double])
  func `a name is cut to its width`(_ name: String, _ width: Double) {
    let cut = TextWidth.cut(name, to: width)
    #expect(TextWidth.of(cut) <= width)
    let candidates = (0...name.count).map { name.prefix($0 - $0 / 2) + "…" + name.suffix($0 / 2) }
    #expect(cut == name || candidates.contains { String($0) == cut })
    #expect((cut == name) == (TextWidth.of(name) <= width))
  }

  @Test(arguments: [
    // The ends of the names differ, so the cut names differ.
    ("field=Department of Pharmaceutical and Medicinal ", ["Chemistry", "Botany"], "", false),
    ("field=Department of Pharmaceutical ", ["Chemistry", "Botany"], " and of Medicinal Compounds", true),
  ])
  func `names that differ are drawn differently`(
    _ start: String, _ words: [String], _ end: String, _ isWhole: Bool
  ) throws {
    let names = words.map { start + $0 + end }
    let chart = RowChart(rows: names.map { RowChart.Row(name: $0, marks: [.bar(1, text: "")]) })
    let drawn = try Drawn(chart, .wide)
    #expect(Set(drawn.texts.filter { $0.hasPrefix("field=") }).count == 2)
    #expect(names.allSatisfy { drawn.texts.contains($0) } == isWhole)
  }
}
