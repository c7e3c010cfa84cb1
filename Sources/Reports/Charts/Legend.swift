/// The names of the series of a chart with their colors, drawn above the chart. An entry that does not fit on
/// a line moves to the next line.
struct Legend {
  private let entries: [(name: String, color: ChartColor, x: Double, y: Double)]
  /// The height in CSS pixels, including the space below; 0 for an empty legend.
  let height: Double

  private static let line = 20.0
  private static let symbol = 18.0

  init(_ names: [(name: String, color: ChartColor)], width: Double) {
    var entries: [(String, ChartColor, Double, Double)] = []
    var (x, y) = (0.0, 12.0)
    for (name, color) in names {
      let shown = TextWidth.cut(name, to: width - Self.symbol)
      let length = Self.symbol + TextWidth.of(shown)
      if x > 0, x + length > width { (x, y) = (0, y + Self.line) }
      entries.append((shown, color, x, y))
      x += length + 18
    }
    self.entries = entries
    height = names.isEmpty ? 0 : y + Self.line / 2 + 4
  }

  func draw(on canvas: inout Canvas) {
    for (name, color, x, y) in entries {
      canvas.circle(x + 6, y - 4, radius: 5, color)
      canvas.text(name, x + Self.symbol, y)
    }
  }
}
