import Files
import Foundation
import Index
import Models
import Ranking
import StageFixture
import Testing

/// A stage must reject a run in which one stage directory comes from another run.
@Suite struct MixedParentsTests {
  private static func fixture(seed: UInt64) throws -> StageFixture {
    let fixture = try StageFixture(
      yaml: RandomExport.yaml(features: "[position]", ranking: "    top: 5"),
      files: RandomExport(seed: seed, people: 20, swipes: 100).files)
    try fixture.runStages()
    return fixture
  }

  /// Returns a run in which the directory `stage` comes from another run of the same pipeline.
  private func mixed(_ stage: String) throws -> StageFixture {
    let (run, other) = (try Self.fixture(seed: 1), try Self.fixture(seed: 2))
    try Directories.remove(run.run + "/" + stage)
    try FileManager.default.copyItem(atPath: other.run + "/" + stage, toPath: run.run + "/" + stage)
    return run
  }

  /// The arguments are the replaced stage directory, the directory that the error names, and the
  /// parents that may be the reason.
  @Test(arguments: [
    ("snapshot", "index", ["snapshot"]), ("index", "index", ["snapshot"]),
    ("models", "models", ["index", "snapshot"]),
  ])
  func `rank rejects stages with different parents`(stage: String, blamed: String, parents: [String]) throws {
    let run = try mixed(stage)
    try Directories.remove(run.run + "/rankings")
    let error = #expect(throws: FileError.self) {
      try RankStage.run(run.pipeline, in: run.run, threads: 1, tool: "test")
    }
    #expect(error?.path == run.run + "/" + blamed, "\(String(describing: error))")
    let reasons = parents.map { "it was not made from the '\($0)' of this run" }
    #expect(reasons.contains(error?.reason ?? ""), "\(String(describing: error))")
    #expect(!Directories.exists(run.run + "/rankings"))
  }

  @Test(arguments: ["snapshot", "index"]) func `fit rejects stages with different parents`(stage: String)
    throws
  {
    let run = try mixed(stage)
    try Directories.remove(run.run + "/models")
    let error = #expect(throws: FileError.self) {
      try FitStage.run(run.pipeline, in: run.run, threads: 1, tool: "test")
    }
    #expect(error?.path == run.run + "/index", "\(String(describing: error))")
    #expect(error?.reason == "it was not made from the 'snapshot' of this run")
    #expect(!Directories.exists(run.run + "/models"))
  }

  @Test func `each manifest names all its parents`() throws {
    let run = try Self.fixture(seed: 3)
    let parents = [
      "snapshot": [], "index": ["snapshot"], "models": ["index", "snapshot"],
      "rankings": ["index", "models", "snapshot"],
    ]
    for (stage, names) in parents {
      let manifest = try Manifest(of: run.run + "/" + stage)
      #expect(manifest.parents.keys.sorted() == names, "\(stage)")
      for name in names {
        #expect(try manifest.parents[name] == Manifest(of: run.run + "/" + name).digest, "\(stage): \(name)")
      }
    }
  }
}
