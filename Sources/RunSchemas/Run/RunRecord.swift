package import Files
internal import Foundation
package import Text

/// The record of a run in `run.json`: its times, paths, machine and durations. The record contains everything
/// that may differ between two runs with equal results. The outputs of stages contain none of these values.
package struct RunRecord: Codable, Sendable {
  /// The duration, exit status and memory of one stage of the run.
  package struct StageRecord: Codable, Sendable {
    package var stage: String
    package var seconds: Double
    package var status: Int32
    /// The peak memory in bytes; `nil` in records of earlier versions of the program.
    package var peakMemory: Int?

    enum CodingKeys: String, CodingKey {
      case stage, seconds, status
      case peakMemory = "peak_memory_bytes"
    }

    package init(stage: String, seconds: Double, status: Int32, peakMemory: Int?) {
      self.stage = stage
      self.seconds = seconds
      self.status = status
      self.peakMemory = peakMemory
    }
  }

  package var pipeline: String
  /// The absolute path of the pipeline file.
  package var pipelineFile: String
  /// The arguments of `--set`.
  package var overrides: [String]
  package var run: Int
  package var tool: String
  package var host: String
  package var processors: Int
  package var threads: Int
  /// The as-of time. If the newest row of the exports determines this time, it is `nil` until ingest has read
  /// the exports.
  package var asOf: Instant?
  /// Whether `--accept-drop` was set for the run; `nil` in records of earlier versions of the program.
  package var acceptsDrop: Bool?
  /// The origin of the as-of time, as in the snapshot's manifest; `newest` until a snapshot exists. `nil` in
  /// records of earlier versions of the program.
  package var asOfFrom: String?
  package var started: String
  package var finished: String?
  /// The exit status of the run; `nil` unless the run failed, and in records of earlier versions of the
  /// program.
  package var status: Int32?
  package var stages: [StageRecord] = []
  /// The report of the publish stage.
  package var published: JSONValue?
  package var complete = false

  enum CodingKeys: String, CodingKey {
    case pipeline, overrides, run, tool, host, processors, threads, started, finished, status, stages,
      published, complete
    case asOf = "as_of"
    case acceptsDrop = "accept_drop"
    case asOfFrom = "as_of_from"
    case pipelineFile = "pipeline_file"
  }

  package init(
    pipeline: String, pipelineFile: String, overrides: [String], run: Int, threads: Int, started: Instant
  ) {
    self.pipeline = pipeline
    self.overrides = overrides
    self.pipelineFile = URL(filePath: pipelineFile).standardizedFileURL.path
    self.run = run
    tool = Tool.name
    host = ProcessInfo.processInfo.hostName
    processors = ProcessInfo.processInfo.activeProcessorCount
    self.threads = threads
    self.started = started.description
  }

  /// Reads `run.json` of the run directory `directory`.
  ///
  /// - Throws: `FileError`. Its operation is `read` if the record is missing or damaged, or belongs to
  ///   another run.
  package init(of directory: String) throws(FileError) {
    let path = directory + "/run.json"
    guard Directories.exists(path) else { throw FileError(damaged: path, "it is missing") }
    let opened = try SealedJSON.Opened([UInt8](Data(copying: try MappedFile(path))), path: path)
    do {
      self = try JSONDecoder().decode(RunRecord.self, from: Data(opened.plain))
    } catch {
      throw FileError(
        .read, path,
        reason: "this version cannot read it as the record of a run: \(DecodingFault.text(error))",
        advice: DecodingFault.adviceForRuns)
    }
    if tool == Tool.name { try opened.requireSeal(path) }
    let parts = Directories.resolved(directory).split(separator: "/").suffix(2)
    guard parts.first == "runs", let number = parts.last.flatMap({ Int($0) }), number != run else { return }
    throw FileError(damaged: path, "it is the record of run \(run), not of run \(number)")
  }

  /// Returns whether the run in `directory` is complete. The result is `false` for a run without a record:
  /// the run was killed before its first stage, or its stages were run by hand.
  package static func isComplete(_ directory: String) throws(FileError) -> Bool {
    guard Directories.exists(directory + "/run.json") else { return false }
    return try RunRecord(of: directory).complete
  }

  /// Returns the number of the run in `directory`; `nil` if the run has no record, because it was killed
  /// before its first stage or its stages were run by hand.
  package static func number(of directory: String) throws(FileError) -> Int? {
    Directories.exists(directory + "/run.json") ? try RunRecord(of: directory).run : nil
  }

  package func write(to directory: String) throws(FileError) {
    try Directories.replace(directory + "/run.json", with: SealedJSON.sealed(JSONValue.encoded(self)))
  }
}

extension JSONValue {
  /// The reports of the publish stage, one per store. A single store has one report instead of a list.
  package var storeReports: [JSONValue] { elements.isEmpty ? [self] : elements }
}
