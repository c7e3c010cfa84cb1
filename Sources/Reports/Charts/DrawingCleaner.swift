internal import Foundation
internal import Text

/// The part of an external SVG that a page may contain: shapes and text, with their positions and colors.
///
/// Scripts, links, external resources and styles are removed. Known colors become variables of the style
/// sheet; all others become the text color.
struct DrawingCleaner {
  private static let elements: Set = ["g", "path", "line", "rect", "circle", "text", "tspan"]
  private static let attributes: Set = [
    "d", "transform", "x", "y", "x1", "x2", "y1", "y2", "dx", "dy", "cx", "cy", "r", "width", "height",
    "fill", "stroke",
    "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "fill-opacity", "stroke-opacity",
    "text-anchor",
    "font-size", "font-weight",
  ]

  /// - Parameter svg: The SVG document.
  /// - Returns: The drawing; `nil` if the text is not an SVG document with a size.
  static func drawing(_ svg: String) -> Drawing? {
    var cleaner = DrawingCleaner()
    for part in Markup.parts(of: svg) {
      guard cleaner.take(part) else { return nil }
    }
    guard let size = cleaner.size, cleaner.open.isEmpty else { return nil }
    return Drawing(width: size.width, height: size.height, markup: cleaner.markup)
  }

  private var markup = ""
  private var size: (width: Int, height: Int)?
  /// The stack of open elements, and whether each is kept.
  private var open: [(name: String, isKept: Bool)] = []

  /// Processes the next token; false if it is not valid at this place.
  private mutating func take(_ part: Markup.Token) -> Bool {
    switch part {
    case .text(let text):
      // Between shapes there is only white space.
      if let last = open.last, last.isKept, ["text", "tspan"].contains(last.name) { markup += text }
    case .end(let name):
      guard let last = open.popLast(), last.name == name else { return false }
      if last.isKept { markup += "</\(name)>" }
    case .start(let name, let attributes, let isEmpty):
      if open.isEmpty, name == "svg" {
        guard let width = attributes.first(where: { $0.name == "width" }).flatMap({ Double($0.value) }),
          let height = attributes.first(where: { $0.name == "height" }).flatMap({ Double($0.value) }),
          (1...10_000).contains(width), (1...10_000).contains(height)
        else { return false }
        size = (Int(width.rounded(.up)), Int(height.rounded(.up)))
        open.append((name, false))
        return true
      }
      // Hidden elements, and the content of removed elements, are left out.
      let isKept =
        Self.elements.contains(name) && (open.count == 1 || open.last?.isKept == true)
        && !attributes.contains { $0.name == "display" && $0.value == "none" } && !isNothing(name, attributes)
      if isKept {
        markup += "<" + name
        for (key, value) in attributes where Self.attributes.contains(key) {
          markup += " \(key)=\"\(shown(key, value))\""
        }
        markup += isEmpty ? "/>" : ">"
      }
      if !isEmpty { open.append((name, isKept)) }
    }
    return true
  }

  /// Whether an element draws nothing visible, such as the background and frames without a line.
  private func isNothing(_ name: String, _ attributes: [(name: String, value: String)]) -> Bool {
    func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
    if name == "path", value("class") == "background" || value("d") == "" || value("d") == "M0,0h0v0h0Z" {
      return true
    }
    return name == "rect" && value("fill") == "white"
  }

  private func shown(_ key: String, _ value: String) -> String {
    switch key {
    case "fill", "stroke": return color(value)
    case "font-size":
      // The layout reserves space for fonts that are wider than the font of the rendering program.
      return Double(value.replacing("px", with: "")).map { "\(($0 * Self.textScale).fixed(1))" } ?? "12"
    default: return value
    }
  }

  private static let textScale = ChartSpecification.shownTextSize / ChartSpecification.textSize

  private func color(_ value: String) -> String {
    if value == "none" || value == "transparent" { return "none" }
    guard let known = ChartColor(rawValue: value.lowercased()) else { return "currentColor" }
    return "var(\(known.variable))"
  }
}

/// A tokenizer that splits markup into tags and texts, without interpreting them.
private enum Markup {
  enum Token {
    case start(String, [(name: String, value: String)], isEmpty: Bool)
    case end(String)
    /// The text as in the source, still escaped.
    case text(String)
  }

  static func parts(of text: String) -> [Token] {
    var parts: [Token] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: "<") {
      if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
      guard let close = rest[open...].firstIndex(of: ">") else { return parts }
      let tag = rest[rest.index(after: open)..<close]
      rest = rest[rest.index(after: close)...]
      parts.append(part(tag))
    }
    return parts
  }

  /// Parses the text between `<` and `>`. Quoted values contain neither, because these are escaped.
  private static func part(_ tag: Substring) -> Token {
    if tag.hasPrefix("/") { return .end(String(tag.dropFirst())) }
    let isEmpty = tag.hasSuffix("/")
    let body = isEmpty ? tag.dropLast() : tag
    let name = body.prefix { !$0.isWhitespace }
    var attributes: [(String, String)] = []
    var rest = body.dropFirst(name.count)
    while let equals = rest.firstIndex(of: "=") {
      let key = rest[..<equals].trimmingCharacters(in: .whitespaces)
      let quoted = rest[rest.index(after: equals)...]
      guard quoted.first == "\"", let end = quoted.dropFirst().firstIndex(of: "\"") else { break }
      attributes.append((key, String(quoted[quoted.index(after: quoted.startIndex)..<end])))
      rest = quoted[quoted.index(after: end)...]
    }
    return .start(String(name), attributes, isEmpty: isEmpty)
  }
}
