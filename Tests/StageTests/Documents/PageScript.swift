import Foundation
import Testing
import TestSupport

/// The `sh`, `sql` and `python` blocks of a page as one shell script. The blocks share variables,
/// as in a reader's terminal.
struct PageScript: Sendable, CustomTestStringConvertible {
  /// Tools other than servers that may be missing on a machine.
  enum Tool: String, CaseIterable {
    case duckdb, numpy, postgis, sqlite3

    static let installed: Set<Tool> = {
      var tools: Set<Tool> = []
      if DuckDBTool.isAvailable { tools.insert(.duckdb) }
      if Command.hasNumPy { tools.insert(.numpy) }
      if PostgreSQLServer.hasPostGIS { tools.insert(.postgis) }
      if Command.path(of: "sqlite3") != nil { tools.insert(.sqlite3) }
      return tools
    }()
  }

  let page: MarkdownPage
  /// The blocks that run, with their text for the shell.
  let run: [(block: MarkdownPage.Fence, text: String)]
  /// The blocks that do not run, each with the reason.
  let skipped: [(block: MarkdownPage.Fence, reason: String)]
  /// The `text` blocks with the output of a block that runs. `of` is the line of that block.
  let shown: [(block: MarkdownPage.Fence, of: Int)]
  /// The `text` blocks that are not compared with the output of a command, each with the reason.
  let uncompared: [(block: MarkdownPage.Fence, reason: String)]
  /// The servers that the first line of the page names.
  let needs: [String]

  var testDescription: String { page.path }

  init(_ page: MarkdownPage, having tools: Set<Tool> = Tool.installed) {
    self.page = page
    let first = page.prose.first { !$0.text.isEmpty }?.text ?? ""
    needs =
      first.wholeMatch(of: /<!-- needs: ([a-z ]+?) *-->\s*/)
      .map { $0.1.split(separator: " ").map(String.init) } ?? []
    var run: [(MarkdownPage.Fence, String)] = []
    var skipped: [(MarkdownPage.Fence, String)] = []
    var shown: [(MarkdownPage.Fence, Int)] = []
    var uncompared: [(MarkdownPage.Fence, String)] = []
    for (index, block) in page.fences.enumerated() {
      let comments = Self.comments(above: block, of: page)
      if block.language == "text" {
        if let reason = comments["not compared"] {
          uncompared.append((block, reason))
        } else if let command = comments["printed by"] {
          run.append((block, command))
          shown.append((block, block.line))
        } else if let command = run.last?.0, index > 0, command.line == page.fences[index - 1].line,
          command.language == "sh"
        {
          shown.append((block, command.line))
        } else {
          uncompared.append((block, "no command before it runs"))
        }
      }
      guard ["sh", "bash", "sql", "python"].contains(block.language) else { continue }
      let queries = block.language == "sql" ? Queries(block.text, onPostgreSQL: needs == ["postgresql"]) : nil
      let needsNumPy = block.language == "python" && block.text.contains("numpy")
      let unmet = [comments["needs"], queries?.tool?.rawValue, needsNumPy ? Tool.numpy.rawValue : nil]
        .compactMap { $0.flatMap(Tool.init) }.first { !tools.contains($0) }
      if let reason = block.reasonNotRun {
        skipped.append((block, reason))
      } else if let unmet {
        skipped.append((block, "needs \(unmet.rawValue): make tools"))
      } else {
        let before = comments["run first"].map { $0 + "\n" } ?? ""
        let code =
          block.language == "python"
          ? Self.python(block.text) : queries?.shell ?? block.text + Self.checks(of: block)
        run.append((block, before + code))
      }
    }
    (self.run, self.skipped, self.shown, self.uncompared) = (run, skipped, shown, uncompared)
  }

  /// The script prints the page and the line before each block, so the output names a failing
  /// block.
  var text: String {
    run.map { "echo '\(mark($0.block.line))' >&2\n\($0.text)\n" }.joined()
  }

  private func mark(_ line: Int) -> String { "--- \(page.path):\(line)" }

  /// Returns a message for each `text` block that differs from `output`, which the script printed on a
  /// terminal.
  func differences(from output: String) -> [String] {
    shown.compactMap { block, line in
      guard let start = output.firstRange(of: mark(line) + "\r\n")?.upperBound else { return nil }
      let printed = String(
        output[start...].prefix(
          upTo: output[start...].firstRange(of: "--- \(page.path):")?.lowerBound ?? output.endIndex))
      return ShownOutput(block.text).firstDifference(from: printed).map {
        "\(page.path):\(block.line) shows a line that is not printed there: \($0)\nprinted:\n\(printed)"
      }
    }
  }

  /// The ids of people in the blocks.
  var ids: Set<String> { Set(text.matches(of: /\b[a-z]+\d{4,5}\b/).map { String($0.0) }) }

  /// The comments directly above a block. `<!-- run first: COMMAND -->` contains a command that a
  /// reader has already run. `<!-- needs: duckdb -->` names a tool that may be missing. Above a `text` block,
  /// `<!-- printed by: COMMAND -->` names the command that prints it, if the previous block does not, and
  /// `<!-- not compared: REASON -->` leaves the block out.
  private static func comments(above block: MarkdownPage.Fence, of page: MarkdownPage) -> [String: String] {
    var found: [String: String] = [:]
    // The lines between the previous block and this block.
    let start = page.fences.last { $0.line < block.line }?.line ?? 0
    for line in page.prose.reversed() where start < line.line && line.line < block.line {
      if line.text.isEmpty { continue }
      guard let match = line.text.wholeMatch(of: /<!-- ([a-z ]+): (.+?) *-->\s*/) else { break }
      // A comment on the first line applies to the whole page.
      if line.line > 1 { found[String(match.1)] = String(match.2) }
    }
    return found
  }

  /// Runs a Python program and requires some output.
  private static func python(_ program: String) -> String {
    """
    printed=$(python3 - <<'END'
    \(program)
    END
    )
    [ -n "$printed" ] || { echo 'the program prints nothing' >&2; exit 3; }
    """
  }

  /// Requires some output of every Redis command that reads. `SMEMBERS` may print nothing, because
  /// GEO commands reject few positions.
  private static func checks(of block: MarkdownPage.Fence) -> String {
    block.text.split(separator: "\n").filter { $0.hasPrefix("redis ") && !$0.hasPrefix("redis SMEMBERS") }
      .map { "\n[ -n \"$(\($0))\" ] || { echo 'nothing at: \($0.replacing("'", with: ""))' >&2; exit 3; }" }
      .joined()
  }

  /// The statements of an SQL block.
  struct Queries {
    private static let values = [
      ("south", 53.2), ("north", 53.6), ("west", -6.5), ("east", -6.1), ("latitude", 53.35),
      ("longitude", -6.26), ("radius_km", 25),
    ]

    let statements: [String]
    /// The shell command of a client that reads a statement from standard input.
    private let client: String
    private let setting: String
    let tool: Tool?

    init(_ text: String, onPostgreSQL: Bool) {
      let code = text.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n")
      statements = (code + "\n").split(separator: ";\n").map { String($0) + ";" }
      if onPostgreSQL {
        client = "psql -XAtv ON_ERROR_STOP=1 " + Self.values.map { "-v \($0)=\($1)" }.joined(separator: " ")
        (setting, tool) = ("", nil)
      } else if text.contains(".parquet'") {
        (client, setting, tool) = ("duckdb -batch -bail -csv -noheader", "", .duckdb)
      } else {
        let pipeline = text.firstMatch(of: /pipeline = '([a-z-]+)'/).map { String($0.1) }
        client = "sqlite3 -batch -bail " + (pipeline.map { "-readonly var/\($0)/serving.sqlite" } ?? "")
        setting = Self.values.map { ".parameter set :\($0) \($1)\n" }.joined()
        tool = .sqlite3
      }
    }

    /// Runs each statement and requires at least one row from each query. In PostgreSQL, queries run with the
    /// role of the app.
    var shell: String {
      statements.map { statement in
        guard statement.hasPrefix("SELECT") || statement.hasPrefix("WITH") else {
          return "\(client) <<'END'\n\(statement)\nEND"
        }
        let role = client.hasPrefix("psql") ? "PGUSER=app " : ""
        let start = statement.prefix { $0 != "\n" && $0 != ";" }.replacing("'", with: "")
        return """
          rows=$(\(role)\(client) <<'END'
          \(setting)\(statement)
          END
          )
          [ -n "$rows" ] || { echo 'no rows: \(start)' >&2; exit 3; }
          """
      }.joined(separator: "\n")
    }
  }
}

@Suite struct PageScriptTests {
  @Test func `comments of a block name what it needs and what runs first`() {
    let text = """
      <!-- needs: redis -->
      ```sh
      a
      ```

      <!-- needs: duckdb -->
      <!-- run first: b -->

      ```sh
      c
      ```
      """
    let page = MarkdownPage(path: "planted.md", text: text)
    let script = PageScript(page, having: [.duckdb])
    #expect(script.needs == ["redis"])
    #expect(
      script.text.split(separator: "\n") == [
        "echo '--- planted.md:2' >&2", "a", "echo '--- planted.md:9' >&2", "b", "c",
      ])
    let without = PageScript(page, having: [])
    #expect(without.run.map(\.text) == ["a"] && without.skipped.map(\.reason) == ["needs duckdb: make tools"])
  }

  @Test func `statements are separated`() {
    let queries = PageScript.Queries(
      "-- A comment.\nSELECT a\n  FROM b;\nCREATE ROLE c;\nWITH d AS (SELECT 1) SELECT * FROM d;",
      onPostgreSQL: true)
    #expect(
      queries.statements == [
        "SELECT a\n  FROM b;", "CREATE ROLE c;", "WITH d AS (SELECT 1) SELECT * FROM d;",
      ])
  }
}
