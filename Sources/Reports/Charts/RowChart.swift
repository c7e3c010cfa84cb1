/// A chart with one row per name on a horizontal axis of numbers. The marks are points with intervals, or
/// bars.
struct RowChart: Chart {
  /// A mark in a row.
  enum Mark: Sendable {
    /// A point. A line shows the interval around the point, and a wide bar behind the line shows the band.
    case point(Double, interval: Ends? = nil, band: Ends? = nil, ChartColor = .first)
    /// A bar from zero, followed by its number.
    case bar(Double, text: String)
  }

  /// The two ends of an interval.
  typealias Ends = (low: Double, high: Double)

  struct Row: Sendable {
    var name: String
    /// The marks of the row, from top to bottom.
    var marks: [Mark]
  }

  var rows: [Row]
  /// The title of the horizontal axis. Without a title, the axis is not drawn.
  var title: String?
  /// The names of the series with their colors.
  var legend: [(name: String, color: ChartColor)] = []
  /// The values that the chart marks with vertical lines.
  var lines: [(value: Double, isDashed: Bool)] = []
  /// Additional values that the axis must contain.
  var contained: [Double] = []

  private static let pitch = 22.0
  private static let gap = 6.0
  private static let heading = 16.0
  private static let margin = 30.0

  func drawing(_ layout: ChartLayout) -> Drawing {
    var canvas = Canvas()
    let legend = Legend(legend, width: layout.width)
    legend.draw(on: &canvas)
    let cut = rows.map { TextWidth.cut($0.name, to: layout.nameWidth) }
    let isAmbiguous = Set(cut).count < Set(rows.map(\.name)).count
    // On a phone, if a name is too long, each name is on a separate line above its row. On any screen, names
    // also get separate lines if cutting would make two names equal.
    let isStacked = isAmbiguous || layout == .narrow && cut != rows.map(\.name)
    let names = isStacked ? rows.map { TextWidth.cut($0.name, to: layout.width) } : cut
    // Half of the text of the first and last tick extends beyond the axis.
    let left = isStacked ? Self.margin : max(Self.margin, (names.map(TextWidth.of).max() ?? 0) + 10)
    let texts = rows.flatMap(\.marks).map { mark in
      if case .bar(_, let text) = mark { TextWidth.of(text) + 8 } else { 0.0 }
    }
    let right = layout.width - max(Self.margin, texts.max() ?? 0)
    let axis = NumberAxis(
      rows.flatMap(\.marks).flatMap(\.values) + lines.map(\.value) + contained, isNice: title != nil,
      ticks: max(2, min(6, Int((right - left) / 60))), ends: (left, right))
    let heading = isStacked ? Self.heading : 0
    let heights = rows.map { heading + Self.pitch * Double(max(1, $0.marks.count)) + Self.gap }
    let (top, bottom) = (legend.height, legend.height + heights.reduce(0, +))

    if title != nil {
      for tick in axis.ticks {
        let x = axis.place(tick)
        canvas.line(x, top, x, bottom, .grid)
        canvas.text(axis.text(tick), x, bottom + 16, .middle)
      }
    }
    for line in lines {
      let x = axis.place(line.value)
      canvas.line(x, top, x, bottom, .faint, isDashed: line.isDashed)
    }
    var y = top
    for ((row, name), height) in zip(zip(rows, names), heights) {
      if isStacked {
        canvas.text(name, 0, y + heading)
      } else {
        canvas.text(name, left - 10, y + height / 2 + 4, .end)
      }
      for (index, mark) in row.marks.enumerated() {
        draw(mark, at: y + heading + Self.gap / 2 + Self.pitch * (Double(index) + 0.5), axis, on: &canvas)
      }
      y += height
    }
    if let title { canvas.text(title, (left + right) / 2, bottom + 36, .middle, .faint) }
    return Drawing(
      width: Int(layout.width), height: Int((bottom + (title == nil ? 4 : 44)).rounded(.up)),
      markup: canvas.markup)
  }

  private func draw(_ mark: Mark, at y: Double, _ axis: NumberAxis, on canvas: inout Canvas) {
    switch mark {
    case .point(let value, let interval, let band, let color):
      if let band {
        let (low, high) = (axis.place(band.low), axis.place(band.high))
        canvas.rectangle(low, y - 5, width: max(high - low, 1), height: 10, .soft)
      }
      if let interval {
        canvas.line(axis.place(interval.low), y, axis.place(interval.high), y, color, width: 2)
      }
      canvas.circle(axis.place(value), y, radius: 4, color)
    case .bar(let value, let text):
      let (zero, end) = (axis.place(0), axis.place(value))
      canvas.rectangle(zero, y - 9, width: end - zero, height: 18, .first)
      canvas.text(text, end + 6, y + 4)
    }
  }
}

extension RowChart.Mark {
  /// All values of the mark, for the axis.
  fileprivate var values: [Double] {
    switch self {
    case .point(let value, let interval, let band, _):
      [value] + [interval, band].compactMap(\.self).flatMap { [$0.low, $0.high] }
    case .bar(let value, _): [0, value]
    }
  }
}
