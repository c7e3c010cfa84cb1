import Foundation
import Testing
import TestSupport

/// Runs the `sh`, `sql` and `python` blocks of all pages unchanged. Each page has a fresh copy of
/// the repository.
@Suite(.serialized) struct DocumentedCommandsTests {
  private static let left: Set = [".build", ".git", ".swiftpm", "Sources", "Tests", "datasets", "var"]

  /// The bundled exports for all pages.
  private static let datasets = Result {
    let scratch = try ScratchDirectory(untilExit: true)
    try FileManager.default.copyItem(
      atPath: SharedData.repository.appending(path: "datasets").path, toPath: scratch("datasets"))
    #if DEBUG
      let ids = try pages.reduce(into: Set<String>()) { $0.formUnion(PageScript($1).ids) }
      try ThinnedExports.thin(scratch("datasets"), keeping: ids)
    #endif
    return scratch
  }

  /// Runs a page's script in a fresh copy of the repository, with the servers that the page needs.
  static func run(_ script: PageScript) throws -> Program.Finished {
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
    let file = try scratch.write(script.text, to: "page.sh")
    let settings = environment.map { "\($0.key)=\($0.value)" }.sorted()
    return try withExtendedLifetime(redis) {
      try Program.run(
        "/usr/bin/env", ["-i"] + settings + ["bash", "-eu", "-o", "pipefail", file], in: copy)
    }
  }

  /// The documents and the other pages of the repository.
  private static var pages: [MarkdownPage] {
    get throws {
      try ["README.md", "CONTRIBUTING.md"].map { try MarkdownPage($0) }
        + ["docs", "datasets", "pipelines", "reports", "Benchmarks"].flatMap {
          try MarkdownPage.pages(in: $0)
        }
    }
  }

  @Test func `every block runs`() throws {
    var (ran, skipped) = (0, 0)
    for page in try Self.pages {
      let script = PageScript(page)
      for (block, reason) in script.skipped {
        print("not run: \(page.path):\(block.line): \(reason)")
        skipped += 1
      }
      if script.run.isEmpty { continue }
      let unmet = script.needs.filter {
        ($0 == "postgresql" && !PostgreSQLServer.isAvailable) || ($0 == "redis" && !RedisServer.isAvailable)
      }
      if !unmet.isEmpty {
        print("not run: \(page.path): needs \(unmet.joined(separator: ", ")): make tools")
        skipped += script.run.count
        continue
      }
      let start = ContinuousClock.now
      let ended = try Self.run(script)
      let seconds = (ContinuousClock.now - start).formatted(.units(allowed: [.seconds], width: .narrow))
      print("\(page.path): \(script.run.count) blocks in \(seconds)")
      #expect(
        ended.ending == .status(0),
        "\(page.path) \(ended.ending)\n\(ended.errors.suffix(2000))\n\(ended.output.suffix(1000))")
      ran += script.run.count
    }
    print("documents: \(ran) blocks ran, \(skipped) did not")
    #expect(ran + skipped > 0)
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
