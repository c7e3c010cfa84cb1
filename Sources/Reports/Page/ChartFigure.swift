internal import Tables

/// A chart with its title, what it shows in words, and the table of its numbers.
struct ChartFigure: Sendable {
  /// The name of its files; unique on the page.
  var name: String
  var title: Words
  /// For those who do not see it: what is drawn, and what can be read from it.
  var description: Words
  /// Vega-Lite, for a width.
  var specification: @Sendable (ChartLayout) -> JSONValue
  var table: Table
}

/// The room that a chart has: charts are drawn twice, for wide windows and paper and for phones.
enum ChartLayout: String, CaseIterable, Sendable {
  case wide, narrow

  /// Of the whole drawing, axes included, in CSS pixels.
  var width: Int {
    switch self {
    case .wide: 680
    case .narrow: 330
    }
  }
}

/// The drawings of a page's charts, by name and layout; none where nothing draws.
struct Drawings: Sendable {
  private var markup: [String: [ChartLayout: String]] = [:]

  init() {}

  subscript(name: String, layout: ChartLayout) -> String? {
    get { markup[name]?[layout] }
    set { markup[name, default: [:]][layout] = newValue }
  }
}
