internal import CommandLine
internal import Files
internal import PipelineFile
internal import RunSchemas
internal import Text

/// A run as events: one JSON object per line, with `time`, `event`, `pipeline` and `run`.
struct RunEvents {
  let pipeline: Pipeline
  let run: Int
  let directory: String

  func tell(_ event: String, _ members: [String: JSONValue] = [:]) {
    Console.tell(
      event: event,
      ["pipeline": .string(pipeline.name), "run": .integer(run)].merging(members) { $1 })
  }

  func ended(_ stage: Stage, published: JSONValue?, seconds: Double) throws {
    var warnings: [String] = []
    var members: [String: JSONValue] = ["stage": .string(stage.rawValue), "seconds": .number(seconds)]
    if stage == .publish {
      members["published"] = published ?? .null
    } else {
      let manifest = try Manifest(of: directory + "/" + stage.directory)
      warnings = RunWarnings(pipeline, manifest).lines
      members["as_of"] = .string(manifest.asOf.description)
      members["counts"] = manifest.counts
    }
    tell("stage_finished", members)
    for warning in warnings { tell("warning", ["message": .string(warning)]) }
  }
}
