import Foundation
import Testing
import TestSupport

/// The `sh` blocks of README, tutorial and how-to pages run as they stand, in a fresh copy of the repository per page.
@Suite(.serialized) struct DocumentedCommandsTests {
  /// A page's blocks as one script: what one sets, the next has, as in a reader's terminal.
  struct Script {
    let page: MarkdownPage
    let run: [MarkdownPage.Fence]
    let skipped: [MarkdownPage.Fence]

    init(_ page: MarkdownPage) {
      self.page = page
      let blocks = page.fences.filter { $0.language == "sh" || $0.language == "bash" }
      run = blocks.filter { $0.reasonNotRun == nil }
      skipped = blocks.filter { $0.reasonNotRun != nil }
    }

    /// The servers that the first line asks for.
    var needs: [String] {
      let first = page.prose.first { !$0.text.isEmpty }?.text ?? ""
      return first.wholeMatch(of: /<!-- needs: ([a-z ]+?) *-->\s*/)
        .map { $0.1.split(separator: " ").map(String.init) } ?? []
    }

    /// The ids of people of Fusion that the blocks name.
    var ids: Set<String> { Set(text.matches(of: /\bu\d{4}\b/).map { String($0.0) }) }

    /// Each block is preceded by a line that says where it stands, which a failure then names.
    var text: String {
      run.map { "echo '--- \(page.path):\($0.line)' >&2\n\($0.text)\n" }.joined()
    }
  }

  private static let left: Set = [".build", ".git", ".swiftpm", "Sources", "Tests", "var"]

  /// What the page's script wrote and how it ended, with everything that `DOCUMENTS` promise its blocks.
  static func run(_ script: Script) throws -> Program.Finished {
    let scratch = try ScratchDirectory()
    let copy = scratch("nightjar")
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
    let root = SharedData.repository.path
    for name in try FileManager.default.contentsOfDirectory(atPath: root) where !left.contains(name) {
      try FileManager.default.copyItem(atPath: "\(root)/\(name)", toPath: "\(copy)/\(name)")
    }
    #if DEBUG
      // All pages together take minutes otherwise.
      try reduceFusion(in: copy + "/datasets/fusion", keeping: script.ids)
    #endif
    for folder in ["home", "tmp"] {
      try FileManager.default.createDirectory(atPath: scratch(folder), withIntermediateDirectories: true)
    }
    var path = [Program.products, root + "/.build/tools/bin"]
    var environment = ["HOME": scratch("home"), "TMPDIR": scratch("tmp"), "LC_ALL": "C.UTF-8"]
    if script.needs.contains("postgresql") {
      let uri = try PostgreSQLServer.database()
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

  /// Leaves a fifth of the people of the bundled exports of Fusion, and the swipes among them: those in `ids` stay.
  private static func reduceFusion(in folder: String, keeping ids: Set<String>) throws {
    func isKept(_ id: Substring) -> Bool {
      ids.contains(String(id)) || Int(id.dropFirst()).map { $0 % 5 == 2 } == true
    }
    let users = try String(contentsOfFile: folder + "/users.json", encoding: .utf8).split(separator: "\n")
    let kept = users.dropFirst().dropLast().filter { line in
      line.firstMatch(of: /\/users\/(u\d+)"/).map { isKept($0.1) } == true
    }.map { $0.hasSuffix(",") ? String($0.dropLast()) : String($0) }
    #expect(kept.count > 300)
    let document = "\(users[0])\n\(kept.joined(separator: ",\n"))\n\(users[users.count - 1])\n"
    try document.write(toFile: folder + "/users.json", atomically: true, encoding: .utf8)
    let swipes = try String(contentsOfFile: folder + "/swipes.csv", encoding: .utf8).split(separator: "\n")
    let among = swipes.dropFirst().filter { line in
      let fields = line.split(separator: ",")
      return fields.count == 4 && isKept(fields[0]) && isKept(fields[1])
    }
    try ([swipes[0]] + among).joined(separator: "\n").appending("\n")
      .write(toFile: folder + "/swipes.csv", atomically: true, encoding: .utf8)
  }

  private static var pages: [MarkdownPage] {
    get throws {
      try [MarkdownPage("README.md")] + MarkdownPage.pages(in: "docs/tutorial")
        + MarkdownPage.pages(in: "docs/how-to")
    }
  }

  @Test func `every block runs`() throws {
    var (ran, skipped) = (0, 0)
    for page in try Self.pages {
      let script = Script(page)
      for block in script.skipped {
        print("not run: \(page.path):\(block.line): \(block.reasonNotRun ?? "")")
        skipped += 1
      }
      if script.run.isEmpty { continue }
      let unmet = script.needs.filter {
        ($0 == "postgresql" && !PostgreSQLServer.isThere) || ($0 == "redis" && !RedisServer.isThere)
      }
      if !unmet.isEmpty {
        print("not run: \(page.path): needs \(unmet.joined(separator: ", ")): make tools")
        skipped += script.run.count
        continue
      }
      let ended = try Self.run(script)
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
    let script = Script(MarkdownPage(path: "planted.md", text: text))
    #expect(script.run.count == 3 && script.skipped.map(\.reasonNotRun) == ["it needs root"])
    let ended = try Self.run(script)
    #expect(ended.ending == .status(64) && ended.output.contains("0."))
    #expect(ended.errors.contains("--- planted.md:13\n--- planted.md:17\n"))
  }
}
