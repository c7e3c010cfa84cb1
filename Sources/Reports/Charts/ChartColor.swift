/// The colors of charts. On a page, each color is a variable of the style sheet, so that charts follow the
/// reader's color scheme. A chart in a separate file has the colors of the light scheme.
enum ChartColor: String, CaseIterable, Sendable {
  case ink = "#1b1f24"
  case faint = "#57606a"
  case grid = "#e3e7eb"
  case paper = "#ffffff"
  case soft = "#9dbfe4"
  case first = "#1f5fa8"
  case second = "#b3530b"
  case third = "#2c7a51"
  case fourth = "#8a3d96"
  case fifth = "#6b6f15"
  case sixth = "#6a737d"

  /// The color for a chart on a page: a reference to a variable of the style sheet.
  var value: String { "var(\(variable))" }

  /// The name of the variable in the style sheet.
  private var variable: String {
    switch self {
    case .ink: "--ink"
    case .faint: "--faint"
    case .grid: "--grid"
    case .paper: "--paper"
    case .soft: "--series-soft"
    case .first: "--series-1"
    case .second: "--series-2"
    case .third: "--series-3"
    case .fourth: "--series-4"
    case .fifth: "--series-5"
    case .sixth: "--series-6"
    }
  }

  /// Returns the color of the series at `index`. From the seventh series on, the colors repeat.
  static func series(_ index: Int) -> ChartColor {
    let colors: [ChartColor] = [.first, .second, .third, .fourth, .fifth, .sixth]
    return colors[index % colors.count]
  }
}
