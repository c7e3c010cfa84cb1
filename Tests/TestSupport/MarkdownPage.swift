internal import Foundation

/// A Markdown file, divided into fences, headings, links, tables and prose for tests.
public struct MarkdownPage: Sendable {
  /// A fenced block.
  public struct Fence: Sendable {
    public let language: String
    public let text: String
    /// The number of the opening line. The first line is 1.
    public let line: Int
    /// The reason in a preceding comment for not running the block, if any.
    public let reasonNotRun: String?
  }

  /// The path relative to the repository, or a name for messages.
  public let path: String
  public let fences: [Fence]
  /// The lines outside fences, with their numbers.
  public let prose: [(line: Int, text: String)]

  /// Parses `text`.
  public init(path: String, text: String) {
    self.path = path
    var fences: [Fence] = []
    var prose: [(Int, String)] = []
    var open: (mark: Substring, indent: Int, language: String, line: Int, reason: String?)?
    var body: [Substring] = []
    var lastComment: String?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let trimmed = line.drop { $0 == " " }
      if let fence = open {
        if trimmed.hasPrefix(fence.mark), trimmed.allSatisfy({ $0 == "`" || $0 == " " }) {
          fences.append(
            Fence(
              language: fence.language, text: body.joined(separator: "\n"), line: fence.line,
              reasonNotRun: fence.reason))
          (open, body, lastComment) = (nil, [], nil)
        } else {
          // In a list, the block has the indentation of its item.
          body.append(line.dropFirst(min(fence.indent, line.count - trimmed.count)))
        }
        continue
      }
      if let mark = trimmed.prefixMatch(of: /`{3,}/) {
        let language = String(trimmed[mark.range.upperBound...].prefix { $0.isLetter || $0.isNumber })
        open = (trimmed[mark.range], line.count - trimmed.count, language, index + 1, lastComment)
        continue
      }
      if let comment = trimmed.wholeMatch(of: /<!-- not run: (.+?) *-->\s*/) {
        lastComment = String(comment.1)
      } else if !trimmed.isEmpty {
        lastComment = nil
      }
      prose.append((index + 1, String(line)))
    }
    (self.fences, self.prose) = (fences, prose)
  }

  /// Reads the file `path` of the repository.
  public init(_ path: String) throws {
    let text = try String(contentsOf: SharedData.repository.appending(path: path), encoding: .utf8)
    self.init(path: path, text: text)
  }

  /// Returns all pages in `folder` of the repository and its subfolders, sorted by path.
  public static func pages(in folder: String) throws -> [MarkdownPage] {
    let root = SharedData.repository.appending(path: folder).path
    let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return try names.filter { $0.hasSuffix(".md") }.sorted().map { try MarkdownPage("\(folder)/\($0)") }
  }

  /// The headings with their levels from 1 to 6.
  public var headings: [(level: Int, text: String)] {
    prose.compactMap { line in
      line.text.wholeMatch(of: /(#{1,6}) +(.+?) *#* */).map { ($0.1.count, String($0.2)) }
    }
  }

  /// Returns the texts in backticks in headings of `level` or deeper.
  public func namesInHeadings(from level: Int) -> [String] {
    headings.filter { $0.level >= level }
      .flatMap { $0.text.matches(of: /`([^`]+)`/).map { String($0.1) } }
  }

  /// The anchors of the headings, as MkDocs and GitHub generate them.
  public var anchors: Set<String> {
    var seen: [String: Int] = [:]
    var anchors: Set<String> = []
    for heading in headings {
      let words = heading.text.replacing("`", with: "").lowercased()
      let kept = words.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
      let base = kept.split(separator: " ").joined(separator: "-")
      let count = seen[base, default: 0]
      seen[base] = count + 1
      anchors.insert(count == 0 ? base : "\(base)_\(count)")
      if count > 0 { anchors.insert("\(base)-\(count)") }
    }
    return anchors
  }

  /// The targets of links and pictures outside code, with their lines.
  public var links: [(line: Int, target: String)] {
    prose.flatMap { line in
      line.text.replacing(/`[^`]*`/, with: "").matches(of: /\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)/).map {
        (line.line, String($0.1))
      }
    }
  }

  /// The cells of tables, with their lines.
  public var cells: [(line: Int, text: String)] {
    prose.filter { $0.text.hasPrefix("|") }.flatMap { line in
      line.text.replacing("\\|", with: "¦").split(separator: "|").map {
        (line.line, $0.trimmingCharacters(in: .whitespaces))
      }
    }
  }

  /// The texts in backticks outside fences, with their lines.
  public var codeSpans: [(line: Int, text: String)] {
    prose.flatMap { line in
      line.text.matches(of: /`([^`]+)`/).map { (line.line, String($0.1)) }
    }
  }
}
