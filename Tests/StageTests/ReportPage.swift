import Foundation
import FoundationXML
import Testing
import TestSupport

/// A report that a program reads. The page must be well-formed, because an XML parser reads it.
struct ReportPage {
  let text: String
  private let document: XMLDocument

  /// A number on the page, with its text and its exact value.
  struct Figure: Hashable {
    var text: String
    var value: Double
  }

  init(_ path: String) throws {
    text = try String(contentsOfFile: path, encoding: .utf8)
    document = try XMLDocument(xmlString: text)
  }

  func nodes(_ path: String) throws -> [XMLNode] { try document.nodes(forXPath: path) }

  /// Returns the text of the only element at `path`, with white space collapsed.
  func only(_ path: String) throws -> String {
    let found = try nodes(path)
    try #require(found.count == 1, "\(found.count) times \(path)")
    return Self.plain(found[0])
  }

  func texts(_ path: String) throws -> [String] { try nodes(path).map(Self.plain) }

  /// Returns the numbers of the section `id`, or of the whole page.
  func figures(in id: String? = nil) throws -> [Figure] {
    let root = try #require(nodes(id.map { "//section[h2/@id='\($0)']" } ?? "/html/body").first)
    return try Self.elements("data", in: root).map { element in
      let value = try #require(element.attribute(forName: "value")?.stringValue.flatMap(Double.init))
      return Figure(text: Self.plain(element), value: value)
    }
  }

  /// Returns the cells of one row in the section `id`. The header of the row starts with `name`,
  /// and the caption of the table contains `caption`.
  func row(_ name: String, in id: String, caption: String) throws -> [XMLElement] {
    let rows = try nodes("//section[h2/@id='\(id)']//table[contains(caption, '\(caption)')]/tbody/tr")
    let row = rows.first { row in row.children?.first.map { Self.plain($0).hasPrefix(name) } ?? false }
    return try #require(row, "no row '\(name)' in '\(caption)'").children?.compactMap { $0 as? XMLElement }
      ?? []
  }

  /// Returns the elements `name` in `node` in the order of the page. XPath does not guarantee this
  /// order.
  static func elements(_ name: String, in node: XMLNode) -> [XMLElement] {
    (node.children ?? []).flatMap { child in
      ((child as? XMLElement).map { $0.name == name ? [$0] : [] } ?? []) + elements(name, in: child)
    }
  }

  /// Returns the exact values of the numbers in `node`.
  static func values(_ node: XMLNode) -> [Double] {
    elements("data", in: node).compactMap { $0.attribute(forName: "value")?.stringValue.flatMap(Double.init) }
  }

  static func plain(_ node: XMLNode) -> String {
    (node.stringValue ?? "").split { $0.isWhitespace && $0 != "\u{A0}" && $0 != "\u{202F}" }.joined(
      separator: " ")
  }
}

extension ReportPage.Figure {
  /// Whether the text is the value, rounded to the digits of the text.
  var isRounded: Bool {
    var plain = text.replacing("\u{2212}", with: "-").replacing("\u{202F}", with: "").replacing(
      "\u{A0}", with: " ")
    if plain == "less than a day" { return value < 1 }
    if plain.hasSuffix(" days") || plain.hasSuffix(" day") {
      return plain.split(separator: " ").first.flatMap { Double($0) } == value.rounded(.down)
    }
    if plain == "< 0.01 %" { return value != 0 && abs(value) < 0.00005 }
    if plain == "< 0.001" { return value < 0.0005 }
    if plain == "> 99.9 %" { return value > 0.9995 && value < 1 }
    if plain.hasPrefix("+") { plain.removeFirst() }
    let isShare = plain.hasSuffix(" %")
    guard let number = plain.split(separator: " ").first.flatMap({ Double($0) }) else { return false }
    let decimals = plain.split(separator: " ")[0].split(separator: ".").dropFirst().first?.count ?? 0
    return abs(number - value * (isShare ? 100 : 1)) <= 0.5000001 * pow(10, -Double(decimals))
  }
}
