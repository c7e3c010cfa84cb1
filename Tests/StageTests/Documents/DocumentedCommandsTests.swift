import Foundation
import Testing
import TestSupport

/// Runs the `sh`, `sql` and `python` blocks of all pages unchanged, and compares their output with the `text`
/// blocks. Each page has a fresh copy of the repository.
@Suite struct DocumentedCommandsTests {
  private static let left: Set = [".build", ".git", ".swiftpm", "Sources", "Tests", "datasets", "var"]

  /// The bundled exports for all pages.
  private static let datasets = Result {
    let scratch = try ScratchDirectory(untilExit: true)
    try FileManager.default.copyItem(
      atPath: SharedData.repository.appending(path: "datasets").path, toPath: scratch("datasets"))
    if !hasReleaseBuild {
      let ids = scripts.reduce(into: Set<String>()) { $0.formUnion($1.ids) }
      try ThinnedExports.thin(scratch("datasets"), keeping: ids)
    }
    return scratch
  }

  /// Whether the programs come from a release build, as in `make pages`. In a debug build, a page with the
  /// whole exports would take minutes, so the exports are thinned. The output of such pages then differs from
  /// the `text` blocks.
  private static let hasReleaseBuild: Bool = {
    #if DEBUG
      ProcessInfo.processInfo.environment["NIGHTJAR_PROGRAMS"]?.isEmpty == false
    #else
      true
    #endif
  }()

  /// Runs a page's script in a fresh copy of the repository, with the servers that the page needs. On a
  /// terminal, all output is in `output`.
  static func run(_ script: PageScript, onTerminal: Bool = false) throws -> Program.Finished {
    let scratch = try ScratchDirectory()
    let copy = scratch("nightjar")
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    let root = SharedData.repository.path
    for name in try FileManager.default.contentsOfDirectory(atPath: root) where !left.contains(name) {
      try FileManager.default.copyItem(atPath: "\(root)/\(name)", toPath: "\(copy)/\(name)")
    }
    let datasets = try Self.datasets.get()
    try FileManager.default.copyItem(atPath: datasets("datasets"), toPath: copy + "/datasets")
    for folder in ["home", "tmp"] {
      try FileManager.default.createDirectory(atPath: scratch(folder), withIntermediateDirectories: true)
    }
    var path = [Program.products, root + "/.build/tools/bin"]
    var environment = ["HOME": scratch("home"), "TMPDIR": scratch("tmp"), "LC_ALL": "C.UTF-8"]
    if script.needs.contains("postgresql") {
      let uri = try PostgreSQLServer.database()
      if PostgreSQLServer.hasPostGIS { _ = try PostgreSQLServer.run("CREATE EXTENSION postgis", in: uri) }
      environment["PGHOST"] = "127.0.0.1"
      environment["PGPORT"] = String(try PostgreSQLServer.port())
      environment["PGUSER"] = "postgres"
      environment["PGDATABASE"] = uri.split(separator: "/").last.map(String.init)
      if let programs = PostgreSQLServer.programs { path.append(programs) }
    }
    var redis: LocalServer?
    if script.needs.contains("redis") {
      redis = try RedisServer.start("--databases 16")
      environment["REDIS_HOST"] = "127.0.0.1"
      environment["REDIS_PORT"] = redis.map { String($0.port) }
    }
    path.append(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    environment["PATH"] = path.joined(separator: ":")
    // A wide terminal does not wrap lines.
    let file = try scratch.write((onTerminal ? "stty cols 999\n" : "") + script.text, to: "page.sh")
    environment.merge(["SHELL": "/bin/bash", "TERM": "xterm", "NO_COLOR": "1", "PAGER": "cat"]) { $1 }
    let settings = environment.map { "\($0.key)=\($0.value)" }.sorted()
    let shell = ["bash", "-eu", "-o", "pipefail", file]
    let command =
      onTerminal ? ["script", "-qec", shell.joined(separator: " "), "/dev/null"] : shell
    return try withExtendedLifetime(redis) {
      try Program.run("/usr/bin/env", ["-i"] + settings + command, in: copy)
    }
  }

  /// The documents and the other pages of the repository.
  private static let pages: [MarkdownPage] = {
    do {
      return try ["README.md", "CONTRIBUTING.md"].map { try MarkdownPage($0) }
        + ["docs", "datasets", "pipelines", "reports", "Benchmarks"].flatMap {
          try MarkdownPage.pages(in: $0)
        }
    } catch {
      preconditionFailure("the pages of the repository cannot be read: \(error)")
    }
  }()

  private static let scripts = pages.map { PageScript($0) }
    .filter { !$0.run.isEmpty || !$0.skipped.isEmpty }
  private static let tally = Tally("documents", cases: scripts.count)

  @Test func `README, the tutorial and other pages have blocks that run`() {
    let run = Set(Self.scripts.filter { !$0.run.isEmpty }.map(\.page.path))
    #expect(run.isSuperset(of: ["README.md", "docs/tutorial/first-night.md"]) && run.count > 15)
  }

  @Test(arguments: scripts) func `every block of a page runs`(script: PageScript) throws {
    defer { Self.tally.end() }
    let page = script.page
    for (block, reason) in script.skipped {
      print("not run: \(page.path):\(block.line): \(reason)")
      Self.tally.add("blocks not run")
    }
    if script.run.isEmpty { return }
    let unmet = script.needs.filter {
      ($0 == "postgresql" && !PostgreSQLServer.isAvailable) || ($0 == "redis" && !RedisServer.isAvailable)
    }
    if !unmet.isEmpty {
      print("not run: \(page.path): needs \(unmet.joined(separator: ", ")): make tools")
      Self.tally.add("blocks not run", script.run.count)
      return
    }
    let ended = try Self.run(script, onTerminal: true)
    #expect(ended.ending == .status(0), "\(page.path) \(ended.ending)\n\(ended.output.suffix(3000))")
    Self.tally.add("blocks ran", script.run.count)
    for (block, reason) in script.uncompared {
      print("not compared: \(page.path):\(block.line): \(reason)")
    }
    if script.shown.isEmpty { return }
    if !Self.hasReleaseBuild, script.text.contains("pipelines/") {
      print("not compared: \(page.path): its exports are thinned: make pages")
      return
    }
    for difference in script.differences(from: ended.output) { Issue.record("\(difference)") }
    Self.tally.add("outputs compared", script.shown.count)
  }

  @Test func `a failing block is named, and blocks share variables`() throws {
    let text = """
      # A page

      ```sh
      name=fusion; cd pipelines
      ```

      <!-- not run: it needs root -->

      ```sh
      exit 3
      ```

      ```sh
      test -e $name.yaml && nightjar --version
      ```

      ```sh
      nightjar show --no-such-option
      ```
      """
    let script = PageScript(MarkdownPage(path: "planted.md", text: text))
    #expect(script.run.count == 3 && script.skipped.map(\.reason) == ["it needs root"])
    let ended = try Self.run(script)
    #expect(ended.ending == .status(64) && ended.output.contains("0."))
    #expect(ended.errors.contains("--- planted.md:13\n--- planted.md:17\n"))
  }

  @Test(arguments: [("12 users", 0), ("13 users", 1), ("...\n12 users", 0)])
  func `a wrong line of shown output is found`(line: String, count: Int) throws {
    let text = """
      # A page

      ```sh
      count() { echo "12 users"; }
      count; echo; count
      ```

      It prints:

      ```text
      12 users

      \(line)
      ```

      <!-- printed by: count -->

      ```text
      \(line)
      ```

      <!-- not compared: another machine -->

      ```text
      wrong
      ```

      ```text
      wrong
      ```
      """
    let script = PageScript(MarkdownPage(path: "planted.md", text: text))
    #expect(script.shown.count == 2)
    #expect(script.uncompared.map(\.reason) == ["another machine", "no command before it runs"])
    let differences = script.differences(from: try Self.run(script, onTerminal: true).output)
    #expect(differences.count == 2 * count)
    #expect(differences.allSatisfy { $0.contains("shows a line that is not printed there: \(line)\n") })
  }

  @Test(arguments: [
    ("```sh\nfalse\n```", "--- planted.md:1\n"),
    ("```sql\nSELECT user_id FROM served_lists WHERE pipeline = 'none';\n```", "unable to open"),
    ("```sql\nSELECT 1 FROM nowhere;\n```", "nowhere"),
    ("```sql\nSELECT 1 WHERE false;\n```", "no rows: SELECT 1 WHERE false"),
    ("```python\nprint(open('nowhere').read())\n```", "No such file"),
    ("```python\nx = 1\n```", "the program prints nothing"),
  ])
  func `a block that does not work is found`(text: String, message: String) throws {
    let script = PageScript(MarkdownPage(path: "planted.md", text: text))
    if script.run.isEmpty { return }
    let ended = try Self.run(script)
    #expect(ended.ending != .status(0) && ended.errors.contains(message), "\(ended)")
  }
}
