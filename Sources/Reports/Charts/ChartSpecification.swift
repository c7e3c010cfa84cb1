internal import Text

/// A chart as a whole Vega-Lite specification: what an analyst opens in an editor, and what is drawn.
struct ChartSpecification {
  let figure: ChartFigure
  let layout: ChartLayout

  init(_ figure: ChartFigure, _ layout: ChartLayout) { (self.figure, self.layout) = (figure, layout) }

  /// The size of text in CSS pixels by which room is made, in the font of the drawing program.
  static let textSize = 16.0
  /// The size in which pages show it: fonts of browsers are up to a quarter wider, such as DejaVu Sans.
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

/// Parts of specifications, as short as they are meant.
enum Mark {
  /// A field along an axis.
  static func field(_ name: String, _ type: String, _ other: [String: JSONValue] = [:]) -> JSONValue {
    .object(["field": .string(name), "type": .string(type)].merging(other) { _, own in own })
  }

  /// A field of names, in the order of the data, without a title.
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

  /// A line across the whole chart where `axis` is `value`.
  static func line(_ axis: String, at value: Double, dashed: Bool = false) -> JSONValue {
    [
      // Without the data: one line, and not one per row.
      "data": ["values": .array([["at": .number(value)]])],
      "mark": .object(
        ["type": "rule", "color": .string(ChartColor.faint.rawValue), "strokeWidth": 1].merging(
          dashed ? ["strokeDash": .array([4, 3])] : [:]
        ) { _, own in own }),
      "encoding": .object([axis: Mark.field("at", "quantitative")]),
    ]
  }
}
