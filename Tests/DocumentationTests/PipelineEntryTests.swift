import TestSupport
import Testing

/// Checks that each entry of the pipeline-file reference has a type, a default, a meaning and an example.
@Suite struct PipelineEntryTests {
  /// Returns what each entry of `page` lacks. An entry is a heading with a name in backticks, and the text up to
  /// the next heading.
  private static func gaps(_ page: MarkdownPage) -> [String] {
    let headings = page.prose.filter { $0.text.hasPrefix("##") }
    return zip(headings, headings.dropFirst().map(\.line) + [.max]).flatMap { heading, end -> [String] in
      guard heading.text.contains("`") else { return [] }
      let lines = page.prose.filter { heading.line < $0.line && $0.line < end }.map(\.text)
      var missing = ["- Type: ", "- Default: "].filter { start in !lines.contains { $0.hasPrefix(start) } }
      // The continuation of a list item is indented.
      let hasMeaning = lines.contains { !$0.isEmpty && !$0.hasPrefix("- ") && !$0.hasPrefix(" ") }
      if !hasMeaning { missing.append("meaning") }
      let hasExample = page.fences.contains {
        $0.language == "yaml" && heading.line < $0.line && $0.line < end
      }
      if !hasExample { missing.append("example") }
      return missing.map { "\(page.path): \(heading.text.drop { $0 == "#" }): \($0)" }
    }
  }

  @Test func `each entry has a type, a default, a meaning and an example`() throws {
    let pages = try MarkdownPage.pages(in: "docs/reference/pipeline-file").filter {
      !$0.path.hasSuffix("/index.md")
    }
    let entries = pages.flatMap(\.prose).count { $0.text.hasPrefix("##") && $0.text.contains("`") }
    #expect(entries > 200)
    let gaps = pages.flatMap(Self.gaps)
    #expect(gaps == [], "\(gaps.joined(separator: "\n"))")
  }

  @Test func `an incomplete entry is found`() {
    let text = """
      ## `a.whole`

      - Type: number
      - Default: none, because
        of a reason

      Sets a number.

      ```yaml
      a: 1
      ```

      ### `a.empty`

      - Note: nothing

      ## A heading without a key
      """
    #expect(
      Self.gaps(MarkdownPage(path: "p", text: text)) == [
        "p:  `a.empty`: - Type: ", "p:  `a.empty`: - Default: ", "p:  `a.empty`: meaning",
        "p:  `a.empty`: example",
      ])
  }
}
