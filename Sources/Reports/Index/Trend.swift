internal import Text

/// The main figures of a pipeline's kept runs, each with its own scale.
struct Trend {
  let entry: PipelineRuns

  init(_ entry: PipelineRuns) { self.entry = entry }

  private typealias FollowedFigure = (
    name: String, value: @Sendable (RunFigures) -> Double?, figure: @Sendable (Double) -> Figure
  )

  /// The figures in the trend, in order.
  private static let followed: [FollowedFigure] =
    [
      ("rows rejected", { $0.rejected }, { .share($0) }), ("users served", { $0.served }, { .share($0) }),
      ("full lists", { $0.full }, { .share($0) }),
      ("nDCG", { $0.finding }, { .metric($0) }), ("AUC", { $0.ordering }, { .metric($0) }),
    ]

  var figure: ChartFigure {
    var data = ChartData("run", "figure", "value")
    var table = Table(
      "Figures of \(entry.name) by run", [.text("Figure")] + entry.runs.map { .number($0.title) })
    let all = entry.runs.map(RunFigures.init)
    var names: [String] = []
    for (name, value, figure) in Self.followed {
      let values = all.map(value)
      guard values.contains(where: { $0 != nil }) else { continue }
      names.append(name)
      table.add([.init(data: name)] + values.map { .init($0.map(figure)) })
      for (run, value) in zip(entry.runs, values) {
        if let value { data.add(.integer(run.record?.number ?? 0), .string(name), .number(value)) }
      }
    }
    let shown = names
    return ChartFigure(
      name: "trend-" + entry.name.fileName, title: "Main figures of \(entry.name) over the kept runs",
      description:
        "One line per figure from the oldest kept run to the newest. Each figure has its own scale.",
      data: data, marks: { Self.marks(shown, width: $0.width) }, table: table, height: { _ in .parts })
  }

  /// The specification of small charts, one below the other, for `names`.
  private static func marks(_ names: [String], width: Int) -> JSONValue {
    [
      "facet": [
        "row": [
          "field": "figure", "type": "nominal", "sort": .array(names.map { .string($0) }), "title": .null,
          "header": [
            "orient": "top", "labelAnchor": "start",
            "labelFontSize": .number(ChartSpecification.textSize),
            "labelColor": .string(ChartColor.ink.rawValue),
          ],
        ]
      ],
      "spacing": 18, "resolve": ["scale": ["y": "independent"]],
      "spec": [
        "width": .integer(width - 70), "height": 70,
        "mark": [
          "type": "line", "strokeWidth": 2, "color": .string(ChartColor.first.rawValue),
          "point": ["filled": .boolean(true), "size": 45, "color": .string(ChartColor.first.rawValue)],
        ],
        "encoding": [
          "x": [
            "field": "run", "type": "ordinal",
            "axis": ["title": "run", "labelAngle": 0, "grid": .boolean(false)],
            "scale": ["padding": .number(0.3)],
          ],
          "y": [
            "field": "value", "type": "quantitative",
            "scale": ["zero": .boolean(false), "nice": .boolean(true)],
            "axis": ["title": .null, "format": ".3~f", "tickCount": 3],
          ],
        ],
      ],
    ]
  }
}
