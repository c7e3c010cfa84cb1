import Foundation
import Testing
import TestSupport

/// One run of `pipelines/finding-friends.yaml` in its own directory.
struct FriendsRun: Sendable {
  static let pipelineFile = SharedData.repository.appending(path: "pipelines/finding-friends.yaml").path
  static let exports = SharedData.repository.appending(path: "datasets/finding-friends").path
  /// The newest check-in of the bundled exports. Tests that compare bytes use it as the as-of time.
  static let newestCheckIn = "2026-11-15T22:58:31Z"

  let directory: ScratchDirectory
  /// The pipeline file and its overrides.
  let arguments: [String]
  let ended: Program.Finished

  /// Runs the pipeline on the exports in `exports` with the additional arguments `more`. The run
  /// may fail.
  init(exports: String = Self.exports, _ more: [String] = [], untilExit: Bool = false) throws {
    directory = try ScratchDirectory(untilExit: untilExit)
    var arguments = [Self.pipelineFile, "--set", "publish.store=sqlite:" + directory("serving.sqlite")]
    for (source, file) in [
      ("entities.users", "users"), ("entities.posts", "posts"), ("check_ins.check_ins", "check_ins"),
    ] where exports != Self.exports {
      arguments += ["--set", "\(source).source.path=\(exports)/\(file).json"]
    }
    self.arguments = arguments
    ended = try Program.run("nightjar", ["run"] + arguments + ["--work", directory("var")] + more)
  }

  /// Runs the pipeline and requires success.
  static func complete(exports: String = Self.exports, _ more: [String] = []) throws -> FriendsRun {
    let run = try FriendsRun(exports: exports, more, untilExit: true)
    try #require(run.ended.ending == .status(0), "\(run.ended.errors)")
    return run
  }

  var path: String { directory("var/finding-friends/runs/1") }
  /// The arguments with which commands for analysts use this work directory and store.
  var chosen: [String] { arguments + ["--work", directory("var")] }

  func list(_ name: String) throws -> [RankingsFiles.Line] {
    try RankingsFiles(path + "/rankings", list: name).lines
  }

  func sources() throws -> [String: Any] {
    try json(path + "/snapshot/manifest.json").object("counts").object("sources")
  }
}

/// Small exports of Finding Friends.
struct FriendsExports {
  var users: [String] = []
  var checkIns: [String] = []
  var posts: [String] = []

  mutating func user(_ id: String) {
    users.append(#"{"objectId":"\#(id)","createdAt":"2026-01-01T00:00:00.000Z","name":"N. \#(id)"}"#)
  }

  /// Adds a check-in at `time` on 2026-11-15.
  mutating func checkIn(
    _ id: String, _ user: String, _ time: String, _ latitude: Double, _ longitude: Double,
    place: String = "Place",
    picture: String = "https://x.example/p.jpg"
  ) {
    checkIns.append(
      #"{"objectId":"\#(id)","createdAt":"2026-11-15T\#(time)Z","user":{"__type":"Pointer","className":"_User","#
        + #""objectId":"\#(user)"},"location":{"__type":"GeoPoint","latitude":\#(latitude),"#
        + #""longitude":\#(longitude)},"place":"\#(place)","picture":{"__type":"File","name":"p.jpg","#
        + #""url":"\#(picture)"}}"#)
  }

  mutating func post(_ id: String, _ author: String, _ time: String, _ latitude: Double, _ longitude: Double)
  {
    posts.append(
      #"{"objectId":"\#(id)","createdAt":"2026-11-15T\#(time)Z","author":{"__type":"Pointer","className":"_User","#
        + #""objectId":"\#(author)"},"location":{"__type":"GeoPoint","latitude":\#(latitude),"#
        + #""longitude":\#(longitude)},"text":"from \#(author)"}"#)
  }

  func write(to directory: ScratchDirectory) throws {
    for (name, rows) in [("users", users), ("check_ins", checkIns), ("posts", posts)] {
      try directory.write("{\"results\":[" + rows.joined(separator: ",\n") + "]}", to: name + ".json")
    }
  }

  /// Runs the pipeline on these exports. Any share of rejects is allowed.
  func run(_ more: [String] = []) throws -> FriendsRun {
    let directory = try ScratchDirectory()
    try write(to: directory)
    return try FriendsRun(
      exports: directory.path,
      // Many of these exports have no rows of one kind.
      ["entities.users", "entities.posts", "check_ins.check_ins"].flatMap {
        ["--set", "\($0).source.incomplete=allowed"]
      } + ["--set", "reject_limit=1", "--set", "dangling_limit=1"] + more)
  }
}
