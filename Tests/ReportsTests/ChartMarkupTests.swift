import Geohash
import Testing

@testable import Reports

/// The exact markup of small charts. All places are computed by hand.
@Suite struct ChartMarkupTests {
  private static func line(_ places: [String], _ color: String, width: String = "1", isDashed: Bool = false)
    -> String
  {
    let names = ["x1", "y1", "x2", "y2"]
    let ends = zip(names, places).map { "\($0)=\"\($1)\"" }.joined(separator: " ")
    let dashes = isDashed ? " stroke-dasharray=\"4,3\"" : ""
    return "<line \(ends) stroke=\"var(--\(color))\" stroke-width=\"\(width)\"\(dashes)/>"
  }

  private static func text(
    _ text: String, _ x: String, _ y: String, _ anchor: String = "start", _ color: String = "ink"
  ) -> String {
    "<text x=\"\(x)\" y=\"\(y)\" text-anchor=\"\(anchor)\" font-size=\"12\" fill=\"var(--\(color))\">\(text)</text>"
  }

  private static func circle(_ x: String, _ y: String, _ radius: String, _ color: String) -> String {
    "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"\(radius)\" fill=\"var(--\(color))\"/>"
  }

  private static func rectangle(_ x: String, _ y: String, _ width: String, _ height: String, _ fill: String)
    -> String
  {
    "<rect x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\" fill=\"var(--\(fill))\""
  }

  private static func parts(_ markup: String) -> [String] {
    markup.replacing("><", with: ">\n<").split(separator: "\n").map(String.init)
  }

  @Test func `each shape has its places and its color`() {
    var canvas = Canvas()
    canvas.line(1, 2.26, 3.5, 4, .grid, width: 2, isDashed: true)
    canvas.line(1, 2, 3, 4, .ink)
    canvas.rectangle(1, 2, width: 3, height: 4, .soft)
    canvas.rectangle(1, 2, width: 3, height: 4, .first, opacity: 0.5, border: .paper)
    canvas.circle(1, 2, radius: 3.5, .second)
    canvas.curve([(x: 1, y: 2), (x: 3, y: 4.5)], .third)
    canvas.text("a<", 1, -0.04, .end, .faint)
    canvas.text("b", 1, 2)
    canvas.text("c", 1, 2, .middle, isOutlined: true)
    let border = " fill-opacity=\"0.50\" stroke=\"var(--paper)\" stroke-width=\"0.5\"/>"
    let outline = " paint-order=\"stroke\" stroke=\"var(--paper)\" stroke-width=\"3\">c<"
    let expected: [String] = [
      Self.line(["1", "2.3", "3.5", "4"], "grid", width: "2", isDashed: true),
      Self.line(["1", "2", "3", "4"], "ink"),
      Self.rectangle("1", "2", "3", "4", "series-soft") + "/>",
      Self.rectangle("1", "2", "3", "4", "series-1") + border,
      Self.circle("1", "2", "3.5", "series-2"),
      "<path d=\"M1,2L3,4.5\" fill=\"none\" stroke=\"var(--series-3)\" stroke-width=\"2\"/>",
      Self.text("a&lt;", "1", "0", "end", "faint"),
      Self.text("b", "1", "2"),
      Self.text("c", "1", "2", "middle").replacing(">c<", with: outline),
    ]
    #expect(Self.parts(canvas.markup) == expected)
  }

  @Test func `the seventh series has the color of the first`() {
    #expect(
      (0..<7).map { ChartColor.series($0) } == [.first, .second, .third, .fourth, .fifth, .sixth, .first])
    let values = ChartColor.allCases.map(\.value)
    let names = [
      "ink", "faint", "grid", "paper", "series-soft", "series-1", "series-2", "series-3", "series-4",
      "series-5", "series-6",
    ]
    #expect(values == names.map { "var(--\($0))" })
  }

  /// Four letters are 31.68 pixels wide.
  @Test func `a legend continues on the next line`() {
    let names: [(name: String, color: ChartColor)] = [
      ("aaaa", .first), ("bbbb", .second), ("cccc", .third),
    ]
    let legend = Legend(names, width: 120)
    var canvas = Canvas()
    legend.draw(on: &canvas)
    let expected: [String] = [
      Self.circle("6", "8", "5", "series-1"), Self.text("aaaa", "18", "12"),
      Self.circle("73.7", "8", "5", "series-2"), Self.text("bbbb", "85.7", "12"),
      Self.circle("6", "28", "5", "series-3"), Self.text("cccc", "18", "32"),
    ]
    #expect(Self.parts(canvas.markup) == expected && legend.height == 46)
    #expect(Legend([], width: 120).height == 0 && Legend(Array(names.prefix(2)), width: 120).height == 26)
  }

  @Test func `a chart of rows has its axis, its rows and its title`() {
    let chart = RowChart(
      rows: [
        RowChart.Row(
          name: "ab", marks: [.point(0.5, interval: (0.25, 0.75), band: (0, 1)), .point(1, .second)]),
        RowChart.Row(name: "c", marks: [.point(0)]),
      ], title: "t", lines: [(value: 0.5, isDashed: true)])
    let drawing = chart.drawing(.wide)
    let ticks = zip(["30", "174", "318", "462", "606", "750"], ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"])
    let axis: [String] = ticks.flatMap { x, text in
      [Self.line([x, "0", x, "78"], "grid"), Self.text(text, x, "94", "middle")]
    }
    let rows: [String] = [
      Self.line(["390", "0", "390", "78"], "faint", isDashed: true), Self.text("ab", "20", "29", "end"),
      Self.rectangle("30", "9", "720", "10", "series-soft") + "/>",
      Self.line(["210", "14", "570", "14"], "series-1", width: "2"),
      Self.circle("390", "14", "4", "series-1"), Self.circle("750", "36", "4", "series-2"),
      Self.text("c", "20", "68", "end"), Self.circle("30", "64", "4", "series-1"),
      Self.text("t", "390", "114", "middle", "faint"),
    ]
    #expect(Self.parts(drawing.markup) == axis + rows)
    #expect(drawing.width == 780 && drawing.height == 122)
  }

  @Test func `a chart of bars has no axis`() {
    let bars = RowChart(rows: [RowChart.Row(name: "a", marks: [.bar(100, text: "100")])], contained: [200])
    let wide = bars.drawing(.wide)
    // The number is 23.76 pixels wide, so the axis ends at 748.24.
    let expected: [String] = [
      Self.text("a", "20", "18", "end"), Self.rectangle("30", "5", "359.1", "18", "series-1") + "/>",
      Self.text("100", "395.1", "18"),
    ]
    #expect(Self.parts(wide.markup) == expected && wide.height == 32)
    let name = String(repeating: "a", count: 24)
    let narrow = RowChart(rows: [RowChart.Row(name: name, marks: [.bar(1, text: "1")])]).drawing(.narrow)
    let stacked: [String] = [
      Self.text(name, "0", "16"), Self.rectangle("30", "21", "270", "18", "series-1") + "/>",
      Self.text("1", "306", "34"),
    ]
    #expect(Self.parts(narrow.markup) == stacked && narrow.width == 330 && narrow.height == 48)
  }

  @Test func `a trend has its newest value and a name for each run`() {
    let line = TrendChart.Line(name: "served", values: [0, 1], isShare: true)
    let drawing = TrendChart(runs: ["a", "b"], lines: [line]).drawing(.narrow)
    let ticks = zip(["88", "56", "24"], ["92", "60", "28"])
    let axis: [String] = zip(ticks, ["0 %", "50 %", "100 %"]).flatMap { places, text in
      [
        Self.line(["56", places.0, "306", places.0], "grid"),
        Self.text(text, "50", places.1, "end"),
      ]
    }
    let before: [String] = [
      Self.text("served", "0", "12"), Self.text("100\u{A0}%", "306", "12", "end"),
    ]
    let after: [String] = [
      "<path d=\"M118.5,88L243.5,24\" fill=\"none\" stroke=\"var(--series-1)\" stroke-width=\"2\"/>",
      Self.circle("118.5", "88", "3.5", "series-1"), Self.circle("243.5", "24", "3.5", "series-1"),
      Self.text("a", "118.5", "106", "middle", "faint"), Self.text("b", "243.5", "106", "middle", "faint"),
    ]
    #expect(Self.parts(drawing.markup) == before + axis + after)
    #expect(drawing.width == 330 && drawing.height == 118)
  }

  @Test func `a chart of curves has its legend, its diagonal and both titles`() {
    let curve = CurveChart.Curve(name: "c", points: [(x: 0, y: 0), (x: 1, y: 0.5)])
    let drawing = CurveChart(curves: [curve], titles: ("across", "up")).drawing(.narrow)
    let shares = ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]
    let across: [String] = zip(["48", "99.6", "151.2", "202.8", "254.4", "306"], shares).flatMap { x, share in
      [Self.line([x, "52", x, "282"], "grid"), Self.text(share, x, "298", "middle")]
    }
    let heights = zip(["282", "236", "190", "144", "98", "52"], ["286", "240", "194", "148", "102", "56"])
    let up: [String] = zip(heights, shares).flatMap { places, share in
      [Self.line(["48", places.0, "306", places.0], "grid"), Self.text(share, "42", places.1, "end")]
    }
    let before: [String] = [
      Self.circle("6", "8", "5", "series-1"), Self.text("c", "18", "12"),
      Self.text("up", "0", "40", "start", "faint"),
    ]
    let after: [String] = [
      Self.line(["48", "282", "306", "52"], "faint", isDashed: true),
      "<path d=\"M48,282L306,167\" fill=\"none\" stroke=\"var(--series-1)\" stroke-width=\"2\"/>",
      Self.text("across", "177", "318", "middle", "faint"),
    ]
    #expect(Self.parts(drawing.markup) == before + across + up + after)
    #expect(drawing.width == 330 && drawing.height == 326)
  }

  @Test func `a map has its degrees, its cell, its scale and north`() throws {
    let box = try #require(BoundingBox(south: 0, west: 0, north: 2, east: 2))
    let drawing = MapChart(cells: [(box, 7)]).drawing(.wide)
    let degrees = ["0.0", "0.5", "1.0", "1.5", "2.0"]
    let across: [String] = zip(["56", "231", "406", "581", "756"], degrees).flatMap { x, degree in
      [Self.line([x, "28", x, "588"], "grid"), Self.text(degree, x, "604", "middle")]
    }
    let heights = zip(["588", "448", "308", "168", "28"], ["592", "452", "312", "172", "32"])
    let up: [String] = zip(heights, degrees).flatMap { places, degree in
      [Self.line(["56", places.0, "756", places.0], "grid"), Self.text(degree, "50", places.1, "end")]
    }
    // A degree of longitude is 111.28 km long in the middle of the map.
    let after: [String] = [
      Self.rectangle("56", "28", "700", "560", "series-1")
        + " stroke=\"var(--paper)\" stroke-width=\"0.5\"/>",
      Self.line(["56", "16", "213.3", "16"], "ink", width: "2"),
      Self.line(["56", "11", "56", "21"], "ink"), Self.line(["213.3", "11", "213.3", "21"], "ink"),
      Self.text("50 km", "221.3", "20"), Self.text("N ↑", "756", "20", "end"),
      Self.text("degrees east, degrees north", "406", "624", "middle", "faint"),
    ]
    #expect(Self.parts(drawing.markup) == across + up + after)
    #expect(drawing.width == 780 && drawing.height == 632)
  }

  @Test(arguments: [
    ("", 0.0), ("il.", 15.12), ("mW", 24), ("AZ", 19.2), ("ab1", 23.76), ("漢", 16.8), ("\u{A0}", 5.04),
  ])
  func `a text has the width of its characters`(_ text: String, _ width: Double) {
    #expect(abs(TextWidth.of(text) - width) < 1e-9)
  }

  @Test func `a drawing in a file of its own has its size and its title`() {
    let drawing = Drawing(width: 30, height: 40, markup: "<a fill=\"var(--series-2)\" b=\"var(--ink)\"/>")
    let text = String(decoding: drawing.document(title: "a & b"), as: UTF8.self)
    #expect(text.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"30\" height=\"40\" "))
    #expect(text.contains(" viewBox=\"0 0 30 40\" ") && text.contains("<title>a &amp; b</title>"))
    #expect(text.hasSuffix("<a fill=\"#b3530b\" b=\"#1b1f24\"/></svg>\n"))
  }
}
