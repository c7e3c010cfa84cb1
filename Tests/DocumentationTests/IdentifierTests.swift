import Foundation
import Testing
import TestSupport

/// Every identifier and file that documents and comments name must exist in the code or the repository.
@Suite struct IdentifierTests {
  /// The names of all types, modules and files in the Swift files, without those in comments.
  private static let declared: Set<String> = {
    var names: Set<String> = []
    for file in (try? SwiftFiles.all) ?? [] {
      names.insert(URL(filePath: file.path).deletingPathExtension().lastPathComponent)
      for part in file.path.split(separator: "/").dropLast() { names.insert(String(part)) }
      let pattern =
        /\b(?:struct|class|enum|protocol|actor|typealias|associatedtype|macro|import) (?:struct |class |func )?([A-Z]\w*)/
      let generic = /[<,] ?([A-Z]\w*)(?=[:,>]| where)/
      for line in file.text.split(separator: "\n") where line.wholeMatch(of: /\s*\/\/.*/) == nil {
        for match in line.matches(of: pattern) { names.insert(String(match.1)) }
        for match in line.matches(of: generic) { names.insert(String(match.1)) }
      }
    }
    return names
  }()

  /// Identifiers of Swift, Foundation, ArgumentParser and third-party products.
  private static let known: Set<String> = [
    "BashOperator", "DuckDB", "ExitCode", "GeoPoint", "JSONSerialization", "MutableSpan", "NaN", "OpenBLAS",
    "Sendable",
    "ValidationError",
  ]

  /// Returns the names in a code span that must be declared. Such a name starts with a capital and
  /// has another capital after a small letter, such as `ListDocument`. Names with members, such as
  /// `OpenFile.Turn`, count too.
  static func names(in code: String) -> [String] {
    guard code.wholeMatch(of: /[A-Z]\w*(?:\.\w+)*(?:\([\w:, ]*\))?/) != nil else { return [] }
    let parts = code.prefix { $0 != "(" }.split(separator: ".").map(String.init)
    guard let first = parts.first,
      first.contains(/[a-z][A-Z]/) || (parts.count > 1 && first.contains(/[a-z]/))
    else { return [] }
    let files: Set = ["md", "swift", "npy", "csv", "json", "yaml", "py", "html", "parquet", "jsonl", "utf8"]
    return files.contains(parts.last ?? "") ? [] : parts.filter { $0.first?.isUppercase == true }
  }

  private static func unknown(_ code: String) -> [String] {
    names(in: code).filter { !declared.contains($0) && !known.contains($0) }
  }

  @Test func `identifiers in documents exist`() throws {
    let missing = try MarkdownPage.repository().flatMap { page in
      page.codeSpans.flatMap { span in Self.unknown(span.text).map { "\(page.path):\(span.line): \($0)" } }
    }
    #expect(missing == [])
  }

  @Test func `identifiers in comments exist`() throws {
    let missing = try SwiftFiles.all.flatMap { file in
      file.comments.flatMap { comment in
        comment.text.matches(of: /`([^`]+)`/).flatMap { Self.unknown(String($0.1)) }
          .map { "\(file.path):\(comment.line): \($0)" }
      }
    }
    #expect(missing == [], "\(missing.joined(separator: "\n"))")
  }

  @Test func `names that do not exist are found`() {
    #expect(Self.unknown("IdentifierTests.NoSuchPart") == ["NoSuchPart"])
    #expect(Self.unknown("NoSuchReader(of:)") == ["NoSuchReader"])
    #expect(Self.unknown("IdentifierTests") == [] && Self.unknown("let x = NoSuchReader") == [])
    #expect(Self.unknown("NoSuchPage.md") == [] && Self.unknown("NASA") == [])
  }

  // MARK: Files

  private static let files: [String] = {
    let root = SharedData.repository.path
    let top = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return top.filter { ![".build", ".git", "var"].contains($0) }.flatMap { name in
      [name]
        + (FileManager.default.enumerator(atPath: "\(root)/\(name)")?.compactMap { $0 as? String } ?? []).map
      {
        "\(name)/\($0)"
      }
    }
  }()

  private static let fileNames = Set(files.map { URL(filePath: $0).lastPathComponent })

  /// Returns the files in a comment that do not exist in the repository. This checks Swift files,
  /// Markdown files and paths that begin with a folder of the repository. Exports and files of a
  /// run are not checked.
  static func missingFiles(in comment: String) -> [String] {
    comment.matches(of: /(^|[^\w\/.<>*-])((?:[\w+.-]+\/)*[\w+-]+\.(?:swift|md|py|yaml|sh))\b(?![\w(])/).map {
      String($0.2)
    }.filter { name in
      guard !comment.contains("http"), !comment.contains("Source:") else { return false }
      if !name.hasSuffix(".swift"), !name.hasSuffix(".md"), !name.contains("/") { return false }
      if name.contains("/") { return !files.contains { $0 == name || $0.hasSuffix("/" + name) } }
      return !fileNames.contains(name)
    }
  }

  @Test func `files that comments name exist, and no comment names a DESIGN file`() throws {
    let found = try SwiftFiles.all.filter { $0.path != "Tests/DocumentationTests/IdentifierTests.swift" }
      .flatMap { file in
        file.comments.flatMap { comment in
          (missingFiles(in: comment.text) + (comment.text.contains(/\bDESIGN\b/) ? ["DESIGN"] : []))
            .map { "\(file.path):\(comment.line): \($0)" }
        }
      }
    #expect(found == [])
  }

  /// Other files in documents can be examples of a user's own files.
  @Test func `Swift files that documents name exist`() throws {
    let missing = try MarkdownPage.repository().flatMap { page in
      page.codeSpans.flatMap { span in
        Self.missingFiles(in: span.text).filter { $0.hasSuffix(".swift") }
          .map { "\(page.path):\(span.line): \($0)" }
      }
    }
    #expect(missing == [])
  }

  private func missingFiles(in comment: String) -> [String] { Self.missingFiles(in: comment) }

  @Test func `files that do not exist are found`() {
    #expect(
      Self.missingFiles(in: "// see `Concurrency/NoSuchMap.swift`, README.md and pipelines/none.yaml")
        == ["Concurrency/NoSuchMap.swift", "pipelines/none.yaml"])
    #expect(
      Self.missingFiles(in: "// pipelines/fusion.yaml, TestSupport/MarkdownPage.swift, crowd.yaml") == [])
  }
}
