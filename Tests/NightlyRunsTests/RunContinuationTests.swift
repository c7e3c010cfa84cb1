import CommandLine
import Files
import Foundation
import PipelineFile
import RunSchemas
import System
import Testing
import TestSupport
import Text
import Tombstones

@testable import NightlyRuns

/// Decides which stages of an earlier run a new run may reuse.
@Suite struct RunContinuationTests {
  private let scratch: ScratchDirectory

  init() throws {
    scratch = try ScratchDirectory()
    try scratch.write("id\nu1\n", to: "users.csv")
    try scratch.write("a,b,at,v\n", to: "swipes.csv")
    try scratch.write(
      """
      pipeline: small
      entities:
        users:
          source: { path: users.csv }
          id: id
          position: { latitude: lat, longitude: lng }
          attributes: { age: { type: number }, field: { type: category } }
      interactions: { swipes: { source: { path: swipes.csv }, user: a, candidate: b, at: at, value: v } }
      models:
        taste: { learns_from: swipes, features: [{ number: age }], prior: population }
        trust: { learns_from: swipes, features: [{ category: field }], prior: population }
      rankings:
        near: { users: users, candidates: users, order_by: distance, top: 10 }
        best: { users: users, candidates: users, model: trust }
      evaluation: { cut: 0.8, model: taste }
      publish: { store: "sqlite:serving.sqlite" }

      """, to: "small.yaml")
  }

  private var directories: RunDirectories { RunDirectories(work: scratch("var"), pipeline: "small") }

  private func pipeline(_ overrides: [String] = []) throws -> Pipeline {
    try Pipeline(file: scratch("small.yaml"), overrides: overrides.map { try Override($0) })
  }

  private func continuation(_ overrides: String...) throws -> RunContinuation {
    RunContinuation(pipeline: try pipeline(overrides), directories: directories, threads: 2)
  }

  private func digest(_ name: String) throws -> FileDigest {
    let bytes = try scratch.bytes(name)
    return FileDigest(path: name, bytes: bytes.count, sha256: SHA256.digest(of: bytes))
  }

  /// Writes the directories of `stages` for a run. The parents of a stage are all earlier stages,
  /// but the evaluation has only the snapshot as a parent.
  private func write(
    _ stages: [Stage], of run: Int, isComplete: Bool = false, tool: String = Tool.name,
    overrides: [String] = []
  ) throws {
    var made: [String: String] = [:]
    for stage in stages where stage != .publish {
      let parents = stage == .evaluate ? made.filter { $0.key == "snapshot" } : made
      let manifest = Manifest(
        tool: tool, stage: stage.directory, pipeline: "small",
        configuration: try pipeline(overrides).configuration, asOf: Instant(milliseconds: 0),
        seed: UInt64(run),
        inputs: stage == .ingest ? [try digest("users.csv"), try digest("swipes.csv")] : [], counts: .null,
        parents: parents)
      try write(manifest, of: run)
      try scratch.write("\(stage) of \(run)", to: "var/small/runs/\(run)/\(stage.directory)/deep/data")
      made[stage.directory] = manifest.digest
    }
    var record = RunRecord(
      pipeline: "small", pipelineFile: scratch("small.yaml"), overrides: overrides, run: run, threads: 1,
      started: Instant(milliseconds: 1_795_000_000_000))
    record.complete = isComplete
    try record.write(to: directories.path(of: run))
    if isComplete { try directories.markLatest(run) }
  }

  private func write(_ manifest: Manifest, of run: Int) throws {
    try scratch.write(manifest.json, to: "var/small/runs/\(run)/\(manifest.stage)/manifest.json")
  }

  private func manifest(_ stage: Stage, of run: Int) throws -> Manifest {
    try Manifest(of: directories.path(of: run) + "/" + stage.directory)
  }

  private static let all = Stage.allCases
  private static let beforeRank: [Stage] = [.ingest, .index, .fit]

  /// Returns the failure of a continuation.
  private func refusal(_ body: () throws -> Void) throws -> StageFailure {
    try #require(#expect(throws: StageFailure.self, performing: body))
  }

  // MARK: - Interrupted runs

  @Test func `without a run, or after a complete one, there is nothing to resume`() throws {
    let none = try refusal { _ = try continuation().interrupted() }
    #expect(none.exitStatus == .missingInput && "\(none)".contains("no run of 'small' exists"))
    try write(Self.beforeRank, of: 1)
    try write(Self.all, of: 2, isComplete: true)
    let complete = try refusal { _ = try continuation().interrupted() }
    #expect(complete.exitStatus == .missingInput && "\(complete)".contains("run 2 is complete"))
  }

  @Test func `the newest run is resumed, even a run killed before it had a record`() throws {
    try write(Self.all, of: 1, isComplete: true)
    try write(Self.beforeRank, of: 2)
    #expect(try continuation().interrupted() == 2)
    try Directories.create(directories.path(of: 10))
    #expect(try continuation().interrupted() == 10)
  }

  /// Any changed key except `keep_runs` prevents resuming, even a key that no stage of the interrupted run
  /// depends on.
  @Test(arguments: [
    ("models.trust.features=[{ number: age }]", "models.trust.features"), ("seed=8", "seed"),
    ("models.taste.prior=everybody", "models.taste.prior"), ("rankings.near.top=9", "rankings.near.top"),
    ("evaluation.cut=0.7", "evaluation.cut"), ("publish.keep=9", "publish.keep"),
    ("entities.users.attributes.age.optional=true", "entities.users.attributes.age.optional"),
  ])
  func `a changed pipeline file prevents resuming`(change: String, key: String) throws {
    for stages in [[.ingest], Self.beforeRank] {
      try write(stages, of: 1)
      let found = try refusal { _ = try continuation(change).interrupted() }
      #expect(found.exitStatus == .badPipelineFile)
      #expect("\(found)".contains("cannot resume: "), "\(found)")
      #expect("\(found)".contains("has changed since run 1: \(key)"), "\(found)")
      #expect(try continuation("keep_runs=9").interrupted() == 1)
      try Directories.remove(directories.path(of: 1))
    }
  }

  @Test func `stages of another version prevent resuming`() throws {
    try write(Self.beforeRank, of: 1, tool: "nightjar 0.0.1")
    let found = try refusal { _ = try continuation().interrupted() }
    #expect("\(found)".contains("nightjar 0.0.1 made run 1, but this is \(Tool.name)"))
    // One stage of another version is enough.
    try write(Self.beforeRank, of: 1)
    var fitted = try manifest(.fit, of: 1)
    fitted.tool = "nightjar 0.0.2"
    try write(fitted, of: 1)
    #expect("\(try refusal { _ = try continuation().interrupted() })".contains("0.0.2"))
  }

  @Test(arguments: [
    ("users.csv", "id\nu2\n", "users.csv has changed"), ("swipes.csv", nil, "swipes.csv is gone"),
  ])
  func `changed exports prevent resuming, but not an explicit later start`(
    name: String, text: String?, reported: String
  ) throws {
    try write(Self.all, of: 1, isComplete: true)
    try write(Self.beforeRank, of: 2)
    if let text { try scratch.write(text, to: name) } else { try Directories.remove(scratch(name)) }
    if text != nil {
      let found = try refusal { _ = try continuation().interrupted() }
      #expect(found.exitStatus == .badData && "\(found)".contains(reported), "\(found)")
    } else {
      #expect(throws: (any Error).self) { try continuation().interrupted() }
    }
    try continuation().checkLast(before: .rank)
  }

  @Test func `the message names the first changed input, and at most five changed keys`() throws {
    try write(Self.beforeRank, of: 1)
    try scratch.write("id\nu2\n", to: "users.csv")
    let one = try refusal { _ = try continuation().interrupted() }
    #expect(
      one.description
        == "cannot resume: the inputs have changed since run 1: users.csv has changed. Start a new run.")
    try scratch.write("a,b,at,v\n1,2,3,4\n", to: "swipes.csv")
    let two = try refusal { _ = try continuation().interrupted() }
    #expect(two.description.hasSuffix(": users.csv has changed, and 1 other change. Start a new run."))
    try pipeline().tombstones(beside: directories).add([(Array("u1".utf8), "users")])
    let three = try refusal { _ = try continuation().interrupted() }
    #expect(three.description.contains("tombstones of erased people have changed, and 2 other changes."))
    let changes = [
      "seed=8", "reject_limit=0.5", "dangling_limit=0.5", "later_limit=0.5", "evaluation.cut=0.7",
      "publish.keep=9",
    ]
    let keys = RunContinuation(pipeline: try pipeline(changes), directories: directories, threads: 2)
    let many = try refusal { _ = try keys.interrupted() }
    #expect(
      many.description
        == "cannot resume: the pipeline file has changed since run 1: dangling_limit, evaluation.cut, "
        + "later_limit, publish.keep, reject_limit. Start a new run.")
  }

  @Test func `a damaged file of a stage prevents its reuse`() throws {
    try write(Self.beforeRank, of: 1, isComplete: true)
    var models = try manifest(.fit, of: 1)
    let text = try scratch.bytes("var/small/runs/1/models/deep/data")
    models.outputs = [FileDigest(path: "deep/data", bytes: text.count, sha256: SHA256.digest(of: text))]
    try write(models, of: 1)
    try continuation().checkLast(before: .rank)
    try scratch.write("fit", to: "var/small/runs/1/models/deep/data")
    let error = #expect(throws: FileError.self) { try continuation().checkLast(before: .rank) }
    #expect(error?.operation == .read && error?.path.hasSuffix("/runs/1/models/deep/data") == true)
    try continuation().checkLast(before: .fit)
    var record = try RunRecord(of: directories.path(of: 1))
    record.complete = false
    try record.write(to: directories.path(of: 1))
    #expect(throws: FileError.self) { _ = try continuation().interrupted() }
  }

  @Test func `an erasure since the snapshot prevents resuming`() throws {
    try write(Self.beforeRank, of: 1)
    let tombstones = try pipeline().tombstones(beside: directories)
    try tombstones.add([(Array("u1".utf8), "users")])
    let found = try refusal { _ = try continuation().interrupted() }
    #expect(found.exitStatus == .badData && "\(found)".contains("tombstones"), "\(found)")
  }

  // MARK: - Starting from a stage

  /// A changed key, and the stages from which a run may still start.
  @Test(
    arguments: [
      ("rankings.near.top=9", [.ingest, .index, .fit, .rank]),
      ("models.trust.features=[{ number: age }]", [.ingest, .index]),
      ("models.taste.prior=everybody", [.ingest, .index]),
      ("evaluation.cut=0.7", all), ("publish.keep=9", all), ("keep_runs=9", all), ("seed=8", [.ingest]),
      ("entities.users.attributes.age.optional=true", [.ingest]), ("reject_limit=0.5", [.ingest]),
    ] as [(String, [Stage])])
  func `everything that a stage depends on must be unchanged`(change: String, fitting: [Stage]) throws {
    try write(Self.all, of: 1, isComplete: true)
    for stage in Self.all {
      let continuation = try continuation(change)
      if fitting.contains(stage) {
        try continuation.checkLast(before: stage)
      } else {
        let found = try refusal { try continuation.checkLast(before: stage) }
        #expect(found.exitStatus == .badPipelineFile)
        #expect(
          "\(found)".contains(
            "cannot start from '\(stage.rawValue)': the pipeline file has changed since run 1"), "\(found)")
        #expect("\(found)".contains(String(change.prefix { $0 != "=" })), "\(found)")
      }
    }
  }

  @Test func `without a complete run there is nothing to start from`() throws {
    try write(Self.beforeRank, of: 1)
    #expect(throws: FileError.self) { try continuation().checkLast(before: .rank) }
  }

  /// A run with a damaged record may be the last complete one, unless the last complete run is newer.
  @Test(arguments: [(1, false), (2, true), (3, true)])
  func `a damaged record of a run that is not older prevents a start`(run: Int, isRefused: Bool) throws {
    try write(Self.all, of: 1)
    try write(Self.all, of: 2, isComplete: true)
    try scratch.write("no JSON", to: "var/small/runs/\(run)/run.json")
    if isRefused {
      let error = #expect(throws: FileError.self) { try continuation().checkLast(before: .rank) }
      #expect(error?.path.hasSuffix("/runs/\(run)/run.json") == true, "\(String(describing: error))")
    } else {
      try continuation().checkLast(before: .rank)
    }
  }

  @Test func `stages of another version cannot be reused, but later stages may be of another version`() throws
  {
    try write(Self.all, of: 1, isComplete: true)
    var index = try manifest(.index, of: 1)
    index.tool = "nightjar 0.0.1"
    try write(index, of: 1)
    try continuation().checkLast(before: .index)
    let found = try refusal { try continuation().checkLast(before: .rank) }
    #expect("\(found)".contains("nightjar 0.0.1"), "\(found)")
  }

  @Test func `stages with different parents can be neither reused nor resumed`() throws {
    for (changed, blamed, first) in [
      (Stage.ingest, "index", Stage.fit), (.index, "models", .rank), (.fit, "rankings", .publish),
    ] {
      try write(Self.all.dropLast(2), of: 1, isComplete: true)
      var other = try manifest(changed, of: 1)
      other.seed = 99
      try write(other, of: 1)
      // A start before the stage with the wrong parent is allowed, because the stages before it fit
      // together.
      if changed != .ingest { try continuation().checkLast(before: first == .rank ? .fit : .rank) }
      for run in [true, false] {
        let error = #expect(throws: FileError.self) {
          if run {
            try continuation().checkLast(before: first)
          } else {
            var record = try RunRecord(of: directories.path(of: 1))
            record.complete = false
            try record.write(to: directories.path(of: 1))
            _ = try continuation().interrupted()
          }
        }
        #expect(error?.path.hasSuffix("/runs/1/\(blamed)") == true, "\(String(describing: error))")
      }
      try Directories.remove(directories.root)
    }
  }

  /// Later stages do not depend on the evaluation, so its tool, configuration and parents have no
  /// effect.
  @Test func `an old evaluation neither prevents a start nor is linked`() throws {
    try write(Self.all, of: 1, isComplete: true)
    var evaluation = try manifest(.evaluate, of: 1)
    evaluation.tool = "nightjar 0.0.1"
    evaluation.configuration = .null
    evaluation.parents = ["snapshot": "another", "models": "another"]
    try write(evaluation, of: 1)
    for stage in [Stage.rank, .evaluate, .publish] { try continuation().checkLast(before: stage) }
    try continuation().link(before: .publish, into: 2)
    #expect(
      try Directories.names(in: directories.path(of: 2)) == ["index", "models", "rankings", "snapshot"])
  }

  @Test(
    arguments: [
      (.ingest, []), (.index, ["snapshot"]), (.fit, ["index", "snapshot"]),
      (.rank, ["index", "models", "snapshot"]), (.evaluate, ["index", "models", "rankings", "snapshot"]),
      (.publish, ["index", "models", "rankings", "snapshot"]),
    ] as [(Stage, [String])])
  func `all files of the earlier stages become hard links`(stage: Stage, expected: [String]) throws {
    try write(Self.all, of: 1, isComplete: true)
    try Directories.create(directories.path(of: 2))
    try continuation().link(before: stage, into: 2)
    #expect(try Directories.names(in: directories.path(of: 2)) == expected)
    for name in expected {
      for file in ["manifest.json", "deep/data"] {
        let inodes = try [1, 2].map { run in
          try FileManager.default.attributesOfItem(
            atPath: "\(directories.path(of: run))/\(name)/\(file)")[.systemFileNumber] as? Int
        }
        #expect(inodes[0] != nil && inodes[0] == inodes[1], "\(name)/\(file)")
      }
    }
  }

  @Test func `a stage that the last run lacks is not linked`() throws {
    try write([.ingest, .index, .rank], of: 1, isComplete: true)
    try continuation().checkLast(before: .publish)
    try continuation().link(before: .publish, into: 2)
    #expect(try Directories.names(in: directories.path(of: 2)) == ["index", "rankings", "snapshot"])
  }

  /// A newer run that failed is ignored.
  @Test func `a run starts with the stages of the last complete run`() throws {
    try write(Self.all, of: 1, isComplete: true)
    try write(Self.all, of: 2)
    try continuation().link(before: .rank, into: 3)
    #expect(try scratch.text("var/small/runs/3/models/deep/data") == "fit of 1")
  }
}

@Suite struct ConfigurationChangeTests {
  private static let old: JSONValue = [
    "models": ["a": ["x": 1], "b": ["x": 2]], "rankings": ["near": ["top": 3]], "keep_runs": 5, "seed": 1,
  ]

  @Test(
    arguments: [
      (["models": ["a": ["x": 1], "b": ["x": 3]]], ["models.b.x"]),
      (["models": ["a": ["x": 1]]], ["models.b"]),
      (["models": ["a": ["x": 1], "b": ["x": 2], "c": 1]], ["models.c"]), (["models": 1], ["models"]),
      (["seed": 2, "rankings": ["near": ["top": 4]]], ["rankings.near.top", "seed"]), (["more": 1], ["more"]),
      (["keep_runs": 9], []), ([:], []),
    ] as [(JSONValue, [String])])
  func `different keys are named, in order`(change: JSONValue, expected: [String]) {
    let new = JSONValue.object(Self.old.members.merging(change.members) { $1 })
    #expect(ConfigurationChange.keys(from: Self.old, to: new, stage: nil) == expected)
    #expect(ConfigurationChange.keys(from: new, to: Self.old, stage: nil) == expected)
  }

  @Test func `each stage has keys that it does not depend on`() {
    let outputs: Set = ["evaluation", "publish", "report", "keep_runs"]
    #expect(
      ConfigurationChange.irrelevantKeys(to: .ingest) == outputs.union(["model", "models", "rankings"]))
    for stage in [Stage.index, .fit] {
      #expect(ConfigurationChange.irrelevantKeys(to: stage) == outputs.union(["rankings"]))
    }
    for stage in [Stage.rank, .evaluate, .publish] {
      #expect(ConfigurationChange.irrelevantKeys(to: stage) == outputs)
    }
  }
}
