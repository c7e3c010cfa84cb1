import Foundation
import Testing
import TestSupport

/// Checks links, tables and words of all Markdown files.
@Suite struct PageTests {
  @Test func `the pages are the documents and the pages in code folders`() throws {
    let paths = Set(try MarkdownPage.repository().map(\.path))
    let some = [
      "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs/index.md", "docs/how-to/new-product.md",
      "docs/reference/pipeline-file/model.md", "datasets/README.md", "pipelines/schedule/README.md",
      "reports/benchmarks.md",
    ]
    #expect(paths.isSuperset(of: some) && !paths.contains { $0.hasPrefix(".build") })
  }

  // MARK: Links

  /// The anchors of each page, by the path of its file.
  private static let anchors: [String: Set<String>] = {
    let pages = (try? MarkdownPage.repository()) ?? []
    return Dictionary(
      uniqueKeysWithValues: pages.map { page in
        (SharedData.repository.appending(path: page.path).standardizedFileURL.path, page.anchors)
      })
  }()

  /// Returns the broken links of a page. On pages of the website, relative links must not leave the
  /// website.
  private static func deadLinks(of page: MarkdownPage) -> [String] {
    let root = SharedData.repository
    let folder = root.appending(path: page.path).deletingLastPathComponent()
    return page.links.compactMap { line, target -> String? in
      if target.contains(/^[a-z]+:/) { return nil }
      let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let path = parts[0].isEmpty ? root.appending(path: page.path) : folder.appending(path: String(parts[0]))
      let file = path.standardizedFileURL.path
      guard FileManager.default.fileExists(atPath: file) else { return "\(page.path):\(line): \(target)" }
      let isOfSite = page.path.hasPrefix("docs/")
      if isOfSite, !file.hasPrefix(root.appending(path: "docs").standardizedFileURL.path + "/") {
        return "\(page.path):\(line): \(target) is not in docs/"
      }
      guard parts.count == 2, file.hasSuffix(".md") else { return nil }
      let headings = anchors[file] ?? page.anchors
      return headings.contains(String(parts[1]))
        ? nil : "\(page.path):\(line): \(target) is no heading"
    }
  }

  @Test func `links resolve`() throws {
    let dead = try MarkdownPage.repository().flatMap(Self.deadLinks)
    #expect(dead == [], "\(dead.joined(separator: "\n"))")
  }

  @Test func `dead links are found`() {
    let text = """
      # A page
      [1](index.md) [2](nowhere.md) [3](#a-page) [4](#no-page) [5](../README.md) [6](https://example.org/)
      ![7](nowhere.png) `[8](code.md)`
      """
    #expect(
      Self.deadLinks(of: MarkdownPage(path: "docs/reference/index.md", text: text)).map {
        $0.split(separator: " ")[1]
      }
        == ["nowhere.md", "#a-page", "#no-page", "../README.md", "nowhere.png"])
  }

  @Test func `links resolve in the installed documents`() throws {
    let scratch = try ScratchDirectory()
    let folder = scratch("doc")
    let installer = SharedData.repository.appending(path: ".ci/install-documents").path
    let ended = try Program.run(installer, [folder])
    #expect(ended.ending == .status(0), "\(ended.errors)")
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    #expect(Set(names).isSuperset(of: ["README.md", "CHANGELOG.md", "datasets/README.md"]))
    let dead = try names.filter { $0.hasSuffix(".md") }.flatMap { name -> [String] in
      let file = URL(filePath: folder).appending(path: name)
      let page = MarkdownPage(path: name, text: try String(contentsOf: file, encoding: .utf8))
      return page.links.compactMap { line, target -> String? in
        let path = target.prefix { $0 != "#" }
        if path.isEmpty || target.contains(/^[a-z]+:/) { return nil }
        let linked = file.deletingLastPathComponent().appending(path: String(path))
        return FileManager.default.fileExists(atPath: linked.path) ? nil : "\(name):\(line): \(target)"
      }
    }
    #expect(dead == [], "\(dead.joined(separator: "\n"))")
  }

  // MARK: Tables

  private static func longCells(of page: MarkdownPage) -> [String] {
    page.cells.filter { $0.text.count > 160 }.map { "\(page.path):\($0.line): \($0.text.prefix(40))..." }
  }

  @Test func `no table cell has more than 160 characters`() throws {
    #expect(try MarkdownPage.repository().flatMap(Self.longCells) == [])
  }

  @Test func `a long cell is found`() {
    let (fits, long) = (String(repeating: "a", count: 160), String(repeating: "b", count: 161))
    let page = MarkdownPage(
      path: "p", text: "| x |\n| --- |\n| \(fits) |\n| c \\| d | \(long) |\n```\n| \(long) |\n```")
    #expect(Self.longCells(of: page).map { $0.split(separator: " ")[0] } == ["p:4:"])
  }

  // MARK: Words

  /// Words and phrases that a careful technical writer would avoid.
  private static var words: Regex<(Substring, Substring)> {
    /(?i)\b(whoever|whomever|nobody|somebody|of which|what is told|is told|are told|that of|those of|one that|none that|oneself|at the moment|who is nowhere)\b/
  }

  private static func ruledOut(_ text: String) -> [String] {
    text.matches(of: words).map { String($0.1).lowercased() }
  }

  private static func ruledOut(in page: MarkdownPage) -> [String] {
    page.prose.flatMap { line in
      ruledOut(line.text.replacing(/`[^`]*`/, with: "")).map { "\(page.path):\(line.line): \($0)" }
    }
  }

  @Test func `documents contain no forbidden words`() throws {
    let found = try MarkdownPage.repository().flatMap(Self.ruledOut)
    #expect(found == [])
  }

  /// The name of a person in a synthetic export. It is data, not a message.
  private static let personNames = ["Somebody else"]

  @Test func `help texts and messages contain no forbidden words`() throws {
    let found = try SwiftFiles.all.filter { $0.path.hasPrefix("Sources/") }.flatMap { file in
      file.quotedTexts.filter { !Self.personNames.contains($0.text) }
        .flatMap { text in Self.ruledOut(text.text).map { "\(file.path):\(text.line): \($0)" } }
    }
    #expect(found == [])
  }

  /// Returns the forbidden words in comments, except in backticks.
  private static func ruledOut(inCommentsOf file: SwiftFiles) -> [String] {
    file.comments.flatMap { comment in
      ruledOut(comment.text.replacing(/`[^`]*`/, with: "")).map { "\(file.path):\(comment.line): \($0)" }
    }
  }

  @Test func `comments of the sources contain no forbidden words`() throws {
    let files = try SwiftFiles.all.filter { $0.path.hasPrefix("Sources/") }
    #expect(files.count > 500 && files.flatMap(Self.ruledOut(inCommentsOf:)) == [])
  }

  @Test func `a forbidden word in a comment is found`() {
    let file = SwiftFiles(
      path: "p", text: "let x = \"nobody\"\n// Nobody, or `nobody`.\n/// A value, of which one counts.")
    #expect(Self.ruledOut(inCommentsOf: file) == ["p:2: nobody", "p:3: of which"])
  }

  @Test func `forbidden words are found`() {
    let page = MarkdownPage(
      path: "p", text: "Whoever asks\nis told; a `nobody` in code, and somebodys.\n```\nnobody\n```")
    #expect(Self.ruledOut(in: page) == ["p:1: whoever", "p:2: is told"])
    #expect(
      SwiftFiles(path: "p", text: "// \"nobody\"\nlet x = \"it is told\"").quotedTexts.map(\.text) == [
        "it is told"
      ])
  }
}
