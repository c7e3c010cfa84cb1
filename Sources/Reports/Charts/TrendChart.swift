internal import Text

/// Small multiples: one small chart per figure. All charts show the same runs, and each chart has its own
/// scale. On a wide page, two charts are side by side.
struct TrendChart: Chart {
  struct Line: Sendable {
    var name: String
    /// The value of each run; `nil` for a run without a value.
    var values: [Double?]
    var isShare: Bool

    /// The newest value as text; `nil` if no run has a value.
    fileprivate var newest: String? {
      values.last { $0 != nil }?.map { (isShare ? Figure.share($0) : Figure.metric($0)).text }
    }
  }

  /// The names of the runs, from left to right.
  var runs: [String]
  var lines: [Line]

  private static let height = 64.0
  /// The height of a small chart in CSS pixels, including its title and the names of the runs.
  private static let pitch = 118.0
  private static let gap = 24.0

  func drawing(_ layout: ChartLayout) -> Drawing {
    var canvas = Canvas()
    let columns = layout == .wide && lines.count > 1 ? 2 : 1
    let width = (layout.width - Self.gap * Double(columns - 1)) / Double(columns)
    for (index, line) in lines.enumerated() {
      let (row, column) = index.quotientAndRemainder(dividingBy: columns)
      draw(
        line, left: Double(column) * (width + Self.gap), top: Double(row) * Self.pitch, width: width,
        on: &canvas)
    }
    let rows = (lines.count + columns - 1) / columns
    return Drawing(
      width: Int(layout.width), height: Int(max(1, Double(rows)) * Self.pitch), markup: canvas.markup)
  }

  private func draw(_ line: Line, left start: Double, top: Double, width: Double, on canvas: inout Canvas) {
    let (left, right) = (start + 56, start + width - 24)
    let axis = NumberAxis(
      line.values.compactMap(\.self), isShare: line.isShare, ticks: 3,
      ends: (top + 24 + Self.height, top + 24))
    canvas.text(line.name, start, top + 12)
    if let newest = line.newest { canvas.text(newest, right, top + 12, .end) }
    for tick in axis.ticks {
      canvas.line(left, axis.place(tick), right, axis.place(tick), .grid)
      canvas.text(axis.text(tick), left - 6, axis.place(tick) + 4, .end)
    }
    // A single run is in the middle.
    let pitch = (right - left) / Double(max(1, runs.count))
    func place(_ run: Int) -> Double { left + pitch * (Double(run) + 0.5) }
    for part in line.values.enumerated().split(whereSeparator: { $0.element == nil }) {
      let points = part.map { (x: place($0.offset), y: axis.place($0.element ?? 0)) }
      if points.count > 1 { canvas.curve(points, .first) }
      // With many runs, large marks would hide the line.
      let radius = min(3.5, max(1.5, pitch / 4))
      for point in points { canvas.circle(point.x, point.y, radius: radius, .first) }
    }
    // If the names of all runs do not fit, only one run in `every` runs has a name, counted back from the
    // newest run.
    let widest = (runs.map(TextWidth.of).max() ?? 0) + 8
    let every = max(1, Int((widest / max(pitch, 1)).rounded(.up)))
    for (index, run) in runs.enumerated() where (runs.count - 1 - index).isMultiple(of: every) {
      // A name that would cross the edge ends at the edge instead.
      let half = TextWidth.of(run) / 2
      canvas.text(
        run, min(max(place(index), start + half), start + width - half), top + Self.height + 42, .middle,
        .faint)
    }
  }
}
