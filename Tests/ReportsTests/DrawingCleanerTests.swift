import Testing

@testable import Reports

/// The parts of another program's SVG that a page includes.
@Suite struct DrawingCleanerTests {
  private static func markup(_ inside: String, width: String = "100", height: String = "50") -> String? {
    DrawingCleaner.drawing("<svg width=\"\(width)\" height=\"\(height)\">\(inside)</svg>")?.markup
  }

  @Test(
    arguments: [
      ("<script>alert(1)</script>", ""), ("<g><script>alert(1)</script></g>", "<g></g>"),
      ("<style>g { fill: red }</style>", ""), ("<image href=\"http://x\"/>", ""),
      ("<a href=\"x\"><g/></a>", ""),
      ("<foreignObject><g><text>x</text></g></foreignObject>", ""),
      ("<rect onload=\"alert(1)\" x=\"1\"/>", "<rect x=\"1\"/>"),
      ("<path d=\"M0,0\" style=\"fill:url(x)\" class=\"c\"/>", "<path d=\"M0,0\"/>"),
      ("<g display=\"none\"><text>secret</text></g>", ""), ("<use href=\"#x\"/>", ""),
    ])
  func `scripts, links, styles and external content are removed`(_ svg: String, _ kept: String) {
    #expect(Self.markup(svg) == kept)
  }

  @Test(
    arguments: [
      ("<rect fill=\"#1F5FA8\"/>", "<rect fill=\"var(--series-1)\"/>"),
      ("<rect stroke=\"#123456\"/>", "<rect stroke=\"currentColor\"/>"),
      ("<rect fill=\"none\"/>", "<rect fill=\"none\"/>"),
      ("<rect fill=\"transparent\"/>", "<rect fill=\"none\"/>"),
      ("<rect fill=\"url(javascript:x)\"/>", "<rect fill=\"currentColor\"/>"),
      ("<rect fill=\"white\"/>", ""), ("<path class=\"background\" d=\"M1\"/>", ""),
      ("<path d=\"M0,0h0v0h0Z\"/>", ""), ("<path d=\"\"/>", ""),
      ("<text font-size=\"16px\">a</text>", "<text font-size=\"12.3\">a</text>"),
      ("<text font-size=\"large\">a</text>", "<text font-size=\"12\">a</text>"),
    ])
  func `colors are those of the page, and empty elements are removed`(_ svg: String, _ kept: String) {
    #expect(Self.markup(svg) == kept)
  }

  @Test func `text is escaped and appears only in text elements`() {
    #expect(
      Self.markup(" <g> x <text>a &lt;b&gt;<tspan>c</tspan></text></g>")
        == "<g><text>a &lt;b&gt;<tspan>c</tspan></text></g>")
  }

  @Test(
    arguments: [
      ("1", "1", true), ("0.99", "1", false), ("10000", "10000", true), ("10000.1", "1", false),
      ("1", "0", false), ("1", "10001", false), ("wide", "1", false), ("nan", "1", false),
    ])
  func `a drawing has a size of one to ten thousand pixels`(_ width: String, _ height: String, _ isOne: Bool)
  {
    #expect((Self.markup("", width: width, height: height) != nil) == isOne)
  }

  @Test func `a size is rounded up, so that nothing is cut off`() {
    let drawing = DrawingCleaner.drawing("<svg width=\"99.2\" height=\"50\"></svg>")
    #expect(drawing == Drawing(width: 100, height: 50, markup: ""))
  }

  @Test(
    arguments: [
      "", "text", "<g></g>", "<svg height=\"1\"></svg>", "<svg width=\"1\" height=\"1\">",
      "<svg width=\"1\" height=\"1\"><g></text></svg>", "<svg width=\"1\" height=\"1\"><g></svg>",
      "<svg width=\"1\" height=\"1\"></g></svg>",
    ])
  func `an incomplete drawing is rejected`(_ svg: String) {
    #expect(DrawingCleaner.drawing(svg) == nil)
  }
}
