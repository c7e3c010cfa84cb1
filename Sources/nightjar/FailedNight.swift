import CommandLine
import Files
import Foundation
import PipelineFile
import Reports
import RunSchemas
import System
import Text

/// A night that failed before it created a run. Its report shows the last complete run, and names the
/// failure.
struct FailedNight {
  let pipelineFile: String
  let work: String
  /// The pipeline; `nil` if its file is wrong or cannot be read.
  let pipeline: Pipeline?

  /// Records the failure, and writes the report. If the report cannot be written, prints the reason instead
  /// of throwing an error, because the caller reports the failure itself.
  func report(_ status: ExitStatus, at time: Instant) {
    do {
      guard let name = try pipeline?.name ?? recordedName() else {
        return Self.print(nil, reason: "no run of this pipeline file exists in '\(work)'")
      }
      let directories = RunDirectories(work: work, pipeline: name)
      let lock = try RunLock(of: directories.root, holder: "nightjar run, started \(time),")
      try FailedStart(status, at: time).write(to: directories.root)
      let kept = KeptRuns(directories)
      // If the pipeline file cannot be read, the report keeps its previous permissions.
      let access =
        if let pipeline {
          try pipeline.reportAccess()
        } else if Directories.exists(directories.root + "/latest") {
          try kept.access()
        } else {
          nil as FileAccess?
        }
      Self.print(
        try kept.writeReport(of: name, nil, work: work, to: work + "/reports", tool: Tool.name, access),
        reason: "")
      _ = consume lock
    } catch is LockHeld {
      // Another run is working, and writes the report at its end.
    } catch {
      Self.print(nil, reason: "\(error)")
    }
  }

  /// Returns the name of the pipeline whose newest run has this pipeline file; `nil` if there is none.
  private func recordedName() throws -> String? {
    let file = URL(filePath: pipelineFile).standardizedFileURL.path
    guard Directories.exists(work) else { return nil }
    return try Directories.names(in: work).compactMap { name -> RunRecord? in
      let directories = RunDirectories(work: work, pipeline: name)
      guard let newest = try directories.numbers().last else { return nil }
      // A damaged record must not hide the records of other pipelines.
      return try? RunRecord(of: directories.path(of: newest))
    }
    .filter { $0.pipelineFile == file }.max { $0.started < $1.started }?.pipeline
  }

  private static func print(_ page: String?, reason: String) {
    switch (Console.printsEvents, page) {
    case (true, let page?): Console.print(event: "report_finished", ["path": .string(page)])
    case (true, nil): Console.print(event: "report_failed", ["reason": .string(reason)])
    case (false, let page?): Console.print("  report      \(page)")
    case (false, nil):
      Console.print(ShownText.encoded("  warning: the report was not written: \(reason)"))
    }
  }
}
