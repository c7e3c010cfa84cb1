internal import Text

/// A chart as a complete Vega-Lite specification, for an analyst's editor and for rendering.
struct ChartSpecification {
  let figure: ChartFigure
  let layout: ChartLayout

  init(_ figure: ChartFigure, _ layout: ChartLayout) { (self.figure, self.layout) = (figure, layout) }

  /// The text size in CSS pixels that the layout reserves space for, in the font of the rendering program.
  static let textSize = 16.0
  /// The text size on pages. Browser fonts such as DejaVu Sans are up to a quarter wider.
  static let shownTextSize = 12.3

  var json: JSONValue {
    var specification: [String: JSONValue] = [
      "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
      "description": .string(figure.description.plain), "background": "transparent",
      "data": ["values": figure.data.values], "config": config,
    ]
    switch figure.height(layout) {
    case .perRow(let pixels):
      specification["width"] = .integer(layout.width)
      specification["height"] = ["step": .integer(pixels)]
      specification["autosize"] = ["type": "fit-x", "contains": "padding"]
    case .whole(let pixels):
      specification["width"] = .integer(layout.width)
      specification["height"] = .integer(pixels)
      specification["autosize"] = ["type": "fit", "contains": "padding"]
    case .parts: break
    }
    specification.merge(figure.marks(layout).members) { _, own in own }
    return .object(specification)
  }

  private var config: JSONValue {
    let text: JSONValue = .string(ChartColor.ink.rawValue)
    let faint: JSONValue = .string(ChartColor.faint.rawValue)
    let grid: JSONValue = .string(ChartColor.grid.rawValue)
    return [
      "locale": [
        "number": [
          "decimal": ".", "thousands": "\u{202F}", "grouping": .array([3]), "currency": .array(["", ""]),
        ]
      ],
      "view": ["stroke": .null], "font": "Liberation Sans, sans-serif",
      "axis": [
        "labelColor": text, "titleColor": faint, "gridColor": grid, "domainColor": grid, "tickColor": grid,
        "labelFontSize": .number(Self.textSize), "titleFontSize": .number(Self.textSize),
        "titleFontWeight": "normal", "titlePadding": 8,
        "labelLimit": .integer(layout.nameWidth), "labelOverlap": .boolean(true),
      ],
      "legend": [
        "orient": "top", "labelColor": text, "titleColor": faint, "labelFontSize": .number(Self.textSize),
        "symbolStrokeWidth": 2,
        "columns": layout == .wide ? 3 : 1, "labelLimit": 220, "title": .null,
      ],
    ]
  }
}

/// Shorthands for parts of specifications.
enum Mark {
  /// A field encoded along an axis.
  static func field(_ name: String, _ type: String, _ other: [String: JSONValue] = [:]) -> JSONValue {
    .object(["field": .string(name), "type": .string(type)].merging(other) { _, own in own })
  }

  /// A field of names, in data order, without a title.
  static func names(_ field: String, axis: [String: JSONValue] = [:]) -> JSONValue {
    Mark.field(
      field, "nominal",
      [
        "sort": .null,
        "axis": .object(
          ["title": .null, "ticks": .boolean(false), "domain": .boolean(false), "labelPadding": 8].merging(
            axis
          ) { _, own in own
          }),
      ])
  }

  /// A field of numbers with a title below the axis.
  static func numbers(
    _ field: String, title: String, format: String, includesZero: Bool = false,
    _ other: [String: JSONValue] = [:]
  ) -> JSONValue {
    Mark.field(
      field, "quantitative",
      [
        "scale": ["zero": .boolean(includesZero), "nice": .boolean(true)],
        "axis": ["title": .string(title), "format": .string(format), "tickCount": 6],
      ].merging(other) { _, own in own })
  }

  static func color(_ color: ChartColor) -> JSONValue { ["value": .string(color.rawValue)] }

  /// A color for each of `names`, in order, with a legend.
  static func series(_ field: String, _ names: [String]) -> JSONValue {
    Mark.field(
      field, "nominal",
      [
        "sort": .null,
        "scale": [
          "domain": .array(names.map { .string($0) }),
          "range": .array(
            names.indices.map { .string(ChartColor.series[$0 % ChartColor.series.count].rawValue) }),
        ],
      ])
  }

  /// A line across the whole chart at the value `value` of `axis`.
  static func line(_ axis: String, at value: Double, dashed: Bool = false) -> JSONValue {
    [
      // The line has its own data, because the chart's data would draw one line per row.
      "data": ["values": .array([["at": .number(value)]])],
      "mark": .object(
        ["type": "rule", "color": .string(ChartColor.faint.rawValue), "strokeWidth": 1].merging(
          dashed ? ["strokeDash": .array([4, 3])] : [:]
        ) { _, own in own }),
      "encoding": .object([axis: Mark.field("at", "quantitative")]),
    ]
  }
}
