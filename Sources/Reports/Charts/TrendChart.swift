/// Small charts of several figures over the same runs, one below the other. Each figure has its own scale.
struct TrendChart: Chart {
  struct Line: Sendable {
    var name: String
    /// The value of each run; `nil` where a run has none.
    var values: [Double?]
    var isShare: Bool
  }

  /// The names of the runs, from left to right.
  var runs: [String]
  var lines: [Line]

  private static let height = 64.0

  func drawing(_ layout: ChartLayout) -> Drawing {
    var canvas = Canvas()
    let (left, right) = (64.0, layout.width - 24)
    // A single run is in the middle.
    let pitch = (right - left) / Double(runs.count)
    func place(_ run: Int) -> Double { left + pitch * (Double(run) + 0.5) }
    // Of many runs, every second, third and so on has a name, counted back from the newest.
    let widest = (runs.map(TextWidth.of).max() ?? 0) + 8
    let every = max(1, Int((widest / max(pitch, 1)).rounded(.up)))
    var top = 0.0
    for line in lines {
      canvas.text(line.name, 0, top + 12)
      let axis = NumberAxis(
        line.values.compactMap(\.self), isShare: line.isShare, ticks: 3,
        ends: (top + 24 + Self.height, top + 24))
      for tick in axis.ticks {
        canvas.line(left, axis.place(tick), right, axis.place(tick), .grid)
        canvas.text(axis.text(tick), left - 6, axis.place(tick) + 4, .end)
      }
      for part in line.values.enumerated().split(whereSeparator: { $0.element == nil }) {
        let points = part.map { (x: place($0.offset), y: axis.place($0.element ?? 0)) }
        if points.count > 1 { canvas.curve(points, .first) }
        for point in points { canvas.circle(point.x, point.y, radius: 3.5, .first) }
      }
      top += Self.height + 42
    }
    for (index, run) in runs.enumerated() where (runs.count - 1 - index).isMultiple(of: every) {
      canvas.text(run, place(index), top + 2, .middle)
    }
    canvas.text("run", (left + right) / 2, top + 22, .middle, .faint)
    return Drawing(width: Int(layout.width), height: Int(top + 30), markup: canvas.markup)
  }
}
