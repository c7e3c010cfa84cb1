internal import Text

/// The shapes and texts of a drawing, as SVG markup. The origin is at the top left, and lengths are CSS
/// pixels.
struct Canvas {
  enum Anchor: String {
    case start, middle, end
  }

  private(set) var markup = ""

  /// The font size of all text, in CSS pixels.
  static let textSize = 12.0

  mutating func line(
    _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ color: ChartColor, width: Double = 1,
    isDashed: Bool = false
  ) {
    add(
      "line", [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)],
      "stroke=\"\(color.value)\" stroke-width=\"\(Self.number(width))\"\(Self.dashes(isDashed))")
  }

  mutating func rectangle(
    _ x: Double, _ y: Double, width: Double, height: Double, _ color: ChartColor, opacity: Double = 1,
    border: ChartColor? = nil
  ) {
    add(
      "rect", [("x", x), ("y", y), ("width", width), ("height", height)],
      "fill=\"\(color.value)\"" + (opacity < 1 ? " fill-opacity=\"\(opacity.fixed(2))\"" : "")
        + (border.map { " stroke=\"\($0.value)\" stroke-width=\"0.5\"" } ?? ""))
  }

  mutating func circle(_ x: Double, _ y: Double, radius: Double, _ color: ChartColor) {
    add("circle", [("cx", x), ("cy", y), ("r", radius)], "fill=\"\(color.value)\"")
  }

  /// Adds a line through `points`.
  mutating func curve(_ points: [(x: Double, y: Double)], _ color: ChartColor) {
    let path = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }.joined(separator: "L")
    markup += "<path d=\"M\(path)\" fill=\"none\" stroke=\"\(color.value)\" stroke-width=\"2\"/>"
  }

  /// Adds `text` with its baseline at `y`. Control characters become visible escapes. With `isOutlined`,
  /// letters have an outline in the background color, so that they are readable on any shape.
  mutating func text(
    _ text: String, _ x: Double, _ y: Double, _ anchor: Anchor = .start, _ color: ChartColor = .ink,
    isOutlined: Bool = false
  ) {
    let outline =
      isOutlined ? " paint-order=\"stroke\" stroke=\"\(ChartColor.paper.value)\" stroke-width=\"3\"" : ""
    markup += """
      <text x="\(Self.number(x))" y="\(Self.number(y))" text-anchor="\(anchor)" font-size="\(Self.number(Self.textSize))" \
      fill="\(color.value)"\(outline)>\(ShownText.encoded(text).asMarkup)</text>
      """
  }

  private mutating func add(_ element: String, _ places: [(String, Double)], _ rest: String) {
    let attributes = places.map { "\($0)=\"\(Self.number($1))\"" }.joined(separator: " ")
    markup += "<\(element) \(attributes) \(rest)/>"
  }

  private static func dashes(_ isDashed: Bool) -> String { isDashed ? " stroke-dasharray=\"4,3\"" : "" }

  /// Returns a coordinate or length as text, with at most one decimal.
  private static func number(_ value: Double) -> String {
    let text = value.fixed(1)
    return text == "-0.0" ? "0" : text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}
