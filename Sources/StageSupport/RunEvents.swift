internal import Foundation
internal import PipelineFile
internal import Tables

/// A run as events: one JSON object per line, with `time`, `event`, `pipeline` and `run`.
struct RunEvents {
  let pipeline: Pipeline
  let run: Int
  let directory: String

  func tell(_ event: String, _ members: [String: JSONValue] = [:]) {
    Self.tell(
      event,
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

  /// One line on standard error.
  static func tell(_ event: String, _ members: [String: JSONValue]) {
    let all = members.merging([
      "time": .string(Clock.now.description), "event": .string(event),
    ]) { $1 }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let line = try? encoder.encode(JSONValue.object(all)) else {
      preconditionFailure("an event of texts and numbers became no JSON")
    }
    Console.tell(String(decoding: line, as: UTF8.self))
  }
}
