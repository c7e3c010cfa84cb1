internal import Text

/// The main figures of a pipeline's kept runs, each with its own scale.
struct Trend {
  let entry: PipelineRuns
  /// A table with a row per run and its figures.
  let table: Table

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
    let all = entry.runs.map(RunFigures.init)
    var lines: [TrendChart.Line] = []
    for (name, isShare, value) in Self.followed {
      let values = all.map(value)
      guard values.contains(where: { $0 != nil }) else { continue }
      lines.append(TrendChart.Line(name: name, values: values, isShare: isShare))
      for (run, value) in zip(entry.runs, values) {
        if let value { data.add(.integer(run.record?.number ?? 0), .string(name), .number(value)) }
      }
    }
    return ChartFigure(
      name: "trend-" + entry.name.fileName, title: "Main figures over the kept runs",
      description:
        "One small chart per figure shows the kept runs from oldest to newest, with the newest value. Each chart has its own scale.",
      data: data, chart: TrendChart(runs: entry.runs.map(\.title), lines: lines), table: table,
      isTableOpen: true)
  }
}
