import Foundation
import TestSupport

/// A product whose files are damaged: the product of the canaries, or a bundled product with few
/// people.
struct DamagedProduct: Sendable, CustomStringConvertible {
  var name: String
  /// The arguments of `nightjar synthesize`, or `nil` for the product of the canaries.
  var people: [String]?
  /// The names of the models. A model without a name has an empty name.
  var models: [String] = []
  var isEvaluated = true
  var user = "u3"
  var candidate: String? = "u5"

  static let all = [
    DamagedProduct(name: "canary", models: [""]),
    DamagedProduct(
      name: "fusion", people: ["--users", "60", "--swipes", "450"], models: ["interests"], user: "u0004",
      candidate: "u0049"),
    DamagedProduct(name: "madra", people: ["--users", "60"], user: "minder00005"),
    DamagedProduct(name: "finding-friends", people: ["--users", "60"], isEvaluated: false),
    DamagedProduct(
      name: "funkify", people: ["--users", "60"], models: ["follows", "events"], user: "m00000",
      candidate: nil),
    DamagedProduct(
      name: "fixit", people: ["--users", "60"], models: [""], user: "c00000", candidate: "w00019"),
  ]

  var description: String { name }
  var isLearned: Bool { name != "finding-friends" }
  var pipelineFile: String { people == nil ? "canary.yaml" : "pipelines/\(name).yaml" }
  var store: String { people == nil ? "serving.sqlite" : "var/\(name)/serving.sqlite" }
  var run: String { "var/\(name)/runs/1" }
  var evaluation: [String] { isEvaluated ? ["--evaluate"] : [] }

  /// Creates the pipeline file and the exports in `directory`.
  func create(_ directory: String) throws {
    guard let people else {
      let canary = try CanaryProduct()
      try withExtendedLifetime(canary) {
        try FileManager.default.copyItem(atPath: canary.directory.path, toPath: directory)
      }
      return
    }
    for folder in ["pipelines", "datasets"] {
      try FileManager.default.createDirectory(
        atPath: "\(directory)/\(folder)", withIntermediateDirectories: true)
    }
    // The radii are large, so a few people have long lists.
    let bundled = try String(
      contentsOf: SharedData.repository.appending(path: "pipelines/\(name).yaml"), encoding: .utf8)
    let text = bundled.replacing(/within_km: (\{[^}]*\}|[0-9.]+)/, with: "within_km: 20000")
      .replacing(/reject_limit: [0-9]+ %/, with: "reject_limit: 60 %")
      .replacing(/\n *within_candidates_km: .*/, with: "")
    try text.write(toFile: "\(directory)/\(pipelineFile)", atomically: true, encoding: .utf8)
    let ended = try Program.run(
      "nightjar-synthesize",
      ["--like", name, "--seed", "5", "--out", "\(directory)/datasets/\(name)"] + people)
    guard ended.ending == .status(0) else {
      throw CocoaError(.fileWriteUnknown, userInfo: ["errors": ended.errors])
    }
  }

  /// The programs that read a run.
  var readers: [RunReader] {
    stages + explanations + [
      RunReader(
        "nightjar-publish", [pipelineFile, "--run-dir", run, "--threads", "2", "--quiet", "--force"]),
      RunReader("nightjar-publish", [pipelineFile, "--run-dir", run, "--quiet"]),
      RunReader("nightjar", ["verify", pipelineFile], prints: true),
      RunReader(
        "nightjar-report", [pipelineFile, "--quiet"], removed: ["../../../../reports"]),
      RunReader("nightjar", ["run", pipelineFile, "--from", "publish"]),
      RunReader(
        "nightjar", ["run", pipelineFile, "--from", "rank", "--until", "rank"], removed: ["../2/rankings"]),
      RunReader("nightjar", ["run", pipelineFile, "--resume"], resumes: true),
    ]
  }

  private var stages: [RunReader] {
    func stage(_ name: String, removing removed: [String]) -> RunReader {
      RunReader(
        "nightjar-\(name)", [pipelineFile, "--run-dir", run, "--threads", "1", "--quiet"], removed: removed)
    }
    return [
      stage("index", removing: ["index", "models", "rankings"]), stage("rank", removing: ["rankings"]),
    ]
      + (isLearned ? [stage("fit", removing: ["models", "rankings"])] : [])
      + (isEvaluated ? [stage("evaluate", removing: ["evaluation"])] : [])
  }

  private var explanations: [RunReader] {
    models.flatMap { model in
      let explain =
        ["explain", pipelineFile, "--user", user] + (model.isEmpty ? [] : ["--model", model])
      return [RunReader("nightjar", explain, prints: true)]
        + (candidate.map { [RunReader("nightjar", explain + ["--candidate", $0], prints: true)] } ?? [])
    }
  }
}
