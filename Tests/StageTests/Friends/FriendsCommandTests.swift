import Foundation
import Testing
import TestSupport
import Text

/// Runs the other programs and commands on a pipeline with check-ins and owners, but without
/// interactions and models.
struct FriendsCommandTests {
  private func run() throws -> FriendsRun { try FriendsListTests.Moment.newest.run.get() }

  private func nightjar(_ verb: String, _ arguments: [String] = []) throws -> Program.Finished {
    try Program.run("nightjar", [verb] + run().chosen + arguments)
  }

  @Test func `there is no fit stage, and ranking needs no models`() throws {
    let run = try run()
    let stages = try FileManager.default.contentsOfDirectory(atPath: run.path).sorted()
    #expect(stages == ["index", "rankings", "run.json", "snapshot"])
    #expect(!run.ended.errors.contains("fit"))
  }

  @Test(arguments: [1, 3]) func `stages run by hand write the same bytes on any number of threads`(
    threads: Int
  )
    throws
  {
    let run = try run()
    let directory = try ScratchDirectory()
    for (program, more) in [
      ("nightjar-ingest", ["--as-of", FriendsRun.newestCheckIn]), ("nightjar-index", []),
      ("nightjar-fit", []),
      ("nightjar-rank", []),
    ] {
      let ended = try Program.run(
        program,
        run.arguments + ["--run-dir", directory.path, "--threads", String(threads), "--quiet"] + more)
      try #require(ended.ending == .status(0), "\(ended.errors)")
    }
    for stage in ["snapshot", "index", "rankings"] {
      let difference = try DirectoryContents(of: directory(stage))
        .differences(from: DirectoryContents(of: "\(run.path)/\(stage)"))
      #expect(difference == [], "\(stage)")
    }
  }

  @Test func `show prints the shown fields`() throws {
    let run = try run()
    let line = try #require(try run.list("nearby").first { $0.recommendations.count == 3 })
    let shown = try nightjar("show", ["--user", line.user, "--list", "nearby"])
    #expect(shown.ending == .status(0), "\(shown.errors)")
    var places = 0
    for found in line.recommendations {
      guard case .string(let place) = found.shown?["place"] else { continue }
      places += 1
      #expect(shown.output.contains(found.candidate) && shown.output.contains(place))
    }
    #expect(places > 0)
    #expect(shown.output.contains("no more: no other candidate is within the radius"))
  }

  @Test func `verify reports that the store is equal`() throws {
    let ended = try nightjar("verify")
    #expect(ended.ending == .status(0), "\(ended.errors)")
    #expect(ended.output.contains("all equal"))
  }

  @Test func `check reports check-ins, owners and reach`() throws {
    let ended = try nightjar("check", ["--as-of", FriendsRun.newestCheckIn])
    #expect(ended.ending == .status(0), "\(ended.errors)")
    for text in [
      "check_ins, from", "expired", "unknown_owner", "candidates in reach", "posts",
    ] {
      #expect(ended.output.contains(text), "\(text)")
    }
  }

  @Test func `the schema has check-ins that refer to users`() throws {
    let ended = try Program.run("nightjar", ["schema", FriendsRun.pipelineFile])
    let package = try #require(
      try JSONSerialization.jsonObject(with: Data(ended.output.utf8)) as? [String: Any])
    let resources = try #require(package["resources"] as? [[String: Any]])
    #expect(resources.compactMap { $0["title"] as? String } == ["posts", "users", "check_ins"])
    for (index, field) in [(0, "author"), (2, "user")] {
      let keys = try #require(resources[index].object("schema")["foreignKeys"] as? [[String: Any]])
      #expect(keys.map { $0["fields"] as? String } == [field])
      #expect(keys.first?.object("reference")["resource"] as? String == "users")
    }
    let fields = try #require(resources[2].object("schema")["fields"] as? [[String: Any]])
    let required = fields.filter { $0.object("constraints")["required"] as? Bool == true }
      .compactMap { $0["name"] as? String }
    #expect(Set(required).isSuperset(of: ["objectId", "user", "createdAt", "place", "picture.url"]))
    let users = try #require(resources[1].object("schema")["fields"] as? [[String: Any]])
    #expect(users.compactMap { $0["name"] as? String } == ["objectId", "createdAt", "name"])
  }

  @Test func `commands that need a model or interactions report that`() throws {
    let user = try #require(try run().list("nearby").first?.user)
    let explained = try nightjar("explain", ["--user", user])
    #expect(explained.ending == .status(78))
    #expect(explained.errors.contains("no 'model'"))
    let evaluated = try Program.run("nightjar-evaluate", run().chosen)
    #expect(evaluated.ending == .status(78))
    #expect(evaluated.errors.contains("no 'interactions'"))
  }

  @Test(.enabled(if: DuckDBTool.isAvailable, "duckdb is not installed: see .ci/tools"))
  func `the run is exported as Parquet, with owners as ids`() throws {
    let directory = try ScratchDirectory()
    let ended = try nightjar("export", ["--parquet", directory("parquet")])
    #expect(ended.ending == .status(0), "\(ended.errors)")
    let files = try FileManager.default.subpathsOfDirectory(atPath: directory("parquet")).filter {
      $0.hasSuffix(".parquet")
    }
    #expect(
      files.sorted() == [
        "rankings/map.parquet", "rankings/nearby.parquet", "rankings/posts.parquet", "snapshot/posts.parquet",
        "snapshot/users.parquet",
      ])
    let owners = try DuckDBTool.rows(
      "SELECT owner_id AS c0 FROM '\(directory("parquet"))/snapshot/posts.parquet' WHERE owner_id IS NOT NULL"
    )
    #expect(owners.count == (try FriendsListTests.Moment.newest.expected.get().posts.count))
  }
}
