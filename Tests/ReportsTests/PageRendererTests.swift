import Foundation
import Testing

@testable import Reports

/// Renders the text of a page as HTML.
@Suite struct PageRendererTests {
  private func html(_ words: Words, _ table: Table = Table("none", [.text("Name")])) -> String {
    let page = Page(
      title: "a title", kind: "Test", subtitle: words, mark: .good, question: "Is it?", answer: "Yes",
      verdict: words,
      checks: [Page.Check(mark: .bad, title: "check", figure: words, meaning: words)],
      sections: [
        Section(
          id: "one", title: "One",
          blocks: [
            .paragraph(words), .list([words]), .definitions([(words, words)]), .table(table),
            .details(words, [.note(words)]),
          ])
      ],
      footer: words)
    return String(decoding: PageRenderer().html(page), as: UTF8.self)
  }

  @Test(
    arguments: [
      ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
      ("\" onload='x'", "&quot; onload=&#39;x&#39;"), ("a & b", "a &amp; b"), ("&lt;", "&amp;lt;"),
      // Swift counts each quotation mark with its accent as one character. A browser counts two
      // characters.
      ("\"\u{301} x=\"\u{20DD}", "&quot;\u{301} x=&quot;\u{20DD}"),
      ("<\u{338}b>\u{338}", "&lt;\u{338}b&gt;\u{338}"),
      ("{{title}}{{{style}}}", "{{title}}{{{style}}}"), ("\u{202E}abc\u{0}", "\\u202eabc\\u0000"),
    ])
  func `text from data is escaped`(_ text: String, _ escaped: String) {
    let html = html("before \(text) after")
    #expect(html.components(separatedBy: "before \(escaped) after").count == 11 + 1)
  }

  @Test func `names of columns are escaped where they label cells`() {
    var table = Table("a table", [.text("Name"), .number("\"\u{301} onfocus=\"x")])
    table.add("row", "\(.count(3))")
    let html = html("x", table)
    #expect(html.contains("data-label=\"&quot;\u{301} onfocus=&quot;x\""))
    #expect(html.contains("<data value=\"3\">3</data>"))
  }

  @Test func `the page's policy allows only its own style sheet`() throws {
    let html = html("x")
    let style = try #require(
      html.components(separatedBy: "<style>").dropFirst().first?.components(separatedBy: "</style>").first)
    #expect(style == Stylesheet.text)
    #expect(html.components(separatedBy: "<style>").count == 2)
    #expect(html.contains("content=\"default-src &#39;none&#39;; style-src &#39;sha256-"))
    for word in ["<script", "javascript:", " style=\"", "http://", "https://", "@import", "url("] {
      #expect(!html.contains(word), "\(word)")
    }
  }

  @Test func `every name in a template has a value`() {
    #expect(!html("a \(.count(1)) \(code: "b") \("link", to: "c.html")").contains("{{"))
  }
}
