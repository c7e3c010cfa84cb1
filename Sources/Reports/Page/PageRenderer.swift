internal import Files
internal import Foundation
internal import Mustache

/// Renders a page as one self-contained HTML file: no scripts, and no external fonts, images or styles.
struct PageRenderer {
  private let library: MustacheLibrary

  init() {
    MustacheContentTypes.register(EscapedMarkup(), named: EscapedMarkup.name)
    var library = MustacheLibrary()
    for (name, text) in PageTemplates.all {
      do {
        // Each template sets the content type itself, because the engine uses its own escaping inside a
        // partial.
        try library.register("{{% CONTENT_TYPE:\(EscapedMarkup.name)}}" + text, named: name)
      } catch {
        preconditionFailure("the template '\(name)' is invalid: \(error)")
      }
    }
    self.library = library
  }

  func html(_ page: Page) -> [UInt8] {
    let style = Stylesheet.text
    let context: [String: Any] = [
      "policy": Self.policy(style), "style": style, "title": page.kind + ": " + page.title,
      "kind": page.kind, "heading": page.title, "subtitle": page.subtitle.context,
      "mark": page.mark.rawValue, "question": page.question, "answer": page.answer,
      "verdict": page.verdict.context,
      "hasAnswers": !page.answers.isEmpty, "answers": page.answers.map(\.context),
      "hasContents": page.hasContents, "hasFeed": page.feed != nil, "feed": page.feed ?? "",
      "hasChecks": !page.checks.isEmpty, "checks": page.checks.map(\.context),
      "sections": page.sections.enumerated().map { $1.context(number: $0 + 1) },
      "footer": page.footer.context,
    ]
    guard let html = library.render(context, withTemplate: "page") else {
      preconditionFailure("the template 'page' is missing")
    }
    return Array(html.utf8)
  }

  /// Returns a content security policy that allows only this style sheet. A browser therefore neither runs
  /// nor loads injected content.
  private static func policy(_ style: String) -> String {
    "default-src 'none'; style-src 'sha256-\(SHA256.base64(of: Array(style.utf8)))'; base-uri 'none'; form-action 'none'"
  }
}

/// Escapes text for HTML, both between tags and in quoted attributes.
///
/// The engine's own escaping works on characters. It would not escape a quotation mark that is followed by a
/// combining accent. This escaping works on Unicode scalars.
private struct EscapedMarkup: MustacheContentType {
  static let name = "MARKUP"

  func escapeText(_ text: String) -> String { text.asMarkup }
}

extension String {
  /// The text as the content of an element or of a quoted attribute.
  var asMarkup: String {
    var escaped = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
      case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}

extension SHA256 {
  /// Returns the digest in base64, as content security policies require.
  fileprivate static func base64(of bytes: [UInt8]) -> String {
    let digits = Array(digest(of: bytes))
    let pairs = stride(from: 0, to: digits.count, by: 2).map { String(digits[$0...$0 + 1]) }
    return Data(pairs.compactMap { UInt8($0, radix: 16) }).base64EncodedString()
  }
}
