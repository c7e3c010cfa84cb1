/// A chart that draws itself as SVG.
protocol Chart: Sendable {
  /// Returns the drawing for `layout`. All shapes and texts must be within the drawing's width and height.
  func drawing(_ layout: ChartLayout) -> Drawing
}

/// The width class of a chart. Each chart is drawn twice: once for wide windows and paper, and once for
/// phones.
enum ChartLayout: String, CaseIterable, Sendable {
  case wide, narrow

  /// The width of the whole drawing, axes included, in CSS pixels.
  var width: Double {
    switch self {
    case .wide: 780
    case .narrow: 330
    }
  }

  /// The maximum width of names at an axis, in CSS pixels. The table of the chart contains the full names.
  var nameWidth: Double {
    switch self {
    case .wide: 260
    case .narrow: 150
    }
  }
}

/// A drawn chart as SVG markup. The width and the height are in CSS pixels.
struct Drawing: Hashable, Sendable {
  var width: Int
  var height: Int
  /// The content of the `svg` element: only shapes and text.
  var markup: String

  /// Returns the chart as a standalone SVG document, in the colors of the light scheme.
  ///
  /// - Parameter title: The text alternative of the drawing.
  /// - Returns: The document as UTF-8.
  func document(title: String) -> [UInt8] {
    var shapes = markup
    for color in ChartColor.allCases { shapes = shapes.replacing(color.value, with: color.rawValue) }
    return Array(
      """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" viewBox="0 0 \(width) \(height)" \
      font-family="Helvetica, Arial, sans-serif" role="img"><title>\(title.asMarkup)</title>\(shapes)</svg>

      """.utf8)
  }
}
