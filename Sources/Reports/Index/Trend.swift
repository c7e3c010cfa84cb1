internal import Text

/// The main figures of a pipeline's kept runs, each with its own scale.
struct Trend {
  let entry: PipelineRuns

  init(_ entry: PipelineRuns) { self.entry = entry }

  private typealias FollowedFigure = (
    name: String, isShare: Bool, value: @Sendable (RunFigures) -> Double?
  )

  /// The figures in the trend, in order.
  private static let followed: [FollowedFigure] =
    [
      ("rows rejected", true, { $0.rejected }), ("users served", true, { $0.served }),
      ("full lists", true, { $0.full }), ("nDCG", false, { $0.finding }), ("AUC", false, { $0.ordering }),
    ]

  var figure: ChartFigure {
    var data = ChartData("run", "figure", "value")
    var table = Table(
      "Figures of \(entry.name) by run", [.text("Figure")] + entry.runs.map { .number($0.title) })
    let all = entry.runs.map(RunFigures.init)
    var lines: [TrendChart.Line] = []
    for (name, isShare, value) in Self.followed {
      let values = all.map(value)
      guard values.contains(where: { $0 != nil }) else { continue }
      lines.append(TrendChart.Line(name: name, values: values, isShare: isShare))
      table.add([.init(data: name)] + values.map { .init($0.map(isShare ? Figure.share : Figure.metric)) })
      for (run, value) in zip(entry.runs, values) {
        if let value { data.add(.integer(run.record?.number ?? 0), .string(name), .number(value)) }
      }
    }
    return ChartFigure(
      name: "trend-" + entry.name.fileName, title: "Main figures over the kept runs",
      description:
        "A small chart per figure from the oldest kept run to the newest, with the newest value. Each has its own scale.",
      data: data, chart: TrendChart(runs: entry.runs.map(\.title), lines: lines), table: table)
  }
}
