/// A chart with one curve per series. Both axes show shares from 0 % to 100 %. The diagonal is a dashed line.
struct CurveChart: Chart {
  struct Curve: Sendable {
    var name: String
    var points: [(x: Double, y: Double)]
  }

  /// The curves in the order of their colors.
  var curves: [Curve]
  var titles: (x: String, y: String)
  /// Whether each point has a mark.
  var hasMarks = false

  func drawing(_ layout: ChartLayout) -> Drawing {
    var canvas = Canvas()
    let legend = Legend(
      curves.enumerated().map { ($1.name, ChartColor.series($0)) }, width: layout.width)
    legend.draw(on: &canvas)
    // The title of the vertical axis is above the axis, so that no text is rotated.
    let top = legend.height + 26
    canvas.text(titles.y, 0, top - 12, .start, .faint)
    let (left, right, height) = (48.0, layout.width - 24, layout == .wide ? 300.0 : 230.0)
    let across = NumberAxis([0, 1], isShare: true, ticks: layout == .wide ? 10 : 5, ends: (left, right))
    let up = NumberAxis([0, 1], isShare: true, ticks: 5, ends: (top + height, top))
    for tick in across.ticks {
      let x = across.place(tick)
      canvas.line(x, top, x, top + height, .grid)
      canvas.text(across.text(tick), x, top + height + 16, .middle)
    }
    for tick in up.ticks {
      let y = up.place(tick)
      canvas.line(left, y, right, y, .grid)
      canvas.text(up.text(tick), left - 6, y + 4, .end)
    }
    canvas.line(left, top + height, right, top, .faint, isDashed: true)
    for (index, curve) in curves.enumerated() where !curve.points.isEmpty {
      let points = curve.points.map { (x: across.place($0.x), y: up.place($0.y)) }
      canvas.curve(points, .series(index))
      if hasMarks { for point in points { canvas.circle(point.x, point.y, radius: 3.5, .series(index)) } }
    }
    canvas.text(titles.x, (left + right) / 2, top + height + 36, .middle, .faint)
    return Drawing(width: Int(layout.width), height: Int(top + height + 44), markup: canvas.markup)
  }
}
