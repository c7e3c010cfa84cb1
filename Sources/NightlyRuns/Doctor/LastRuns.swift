internal import CommandLine
internal import Files
internal import RunSchemas
internal import Text

/// The outcomes of a pipeline's last runs.
struct LastRuns {
  /// The directory of the last complete run, and its record.
  private let complete: (directory: String, record: RunRecord)?
  /// The newest run, if it is not complete or its record cannot be read.
  private let newest: (number: Int, record: RunRecord?)?

  init(_ directories: RunDirectories) {
    complete = (try? directories.latest()).flatMap { directory in
      (try? RunRecord(of: directory)).map { (directory, $0) }
    }
    newest = (try? directories.numbers())?.last.flatMap { number in
      let record = try? RunRecord(of: directories.path(of: number))
      return record?.complete == true ? nil : (number, record)
    }
  }

  /// The number of bytes that the stages of the last complete run wrote.
  var bytes: Int? {
    complete.map { complete in
      Stage.allCases.filter { !$0.directory.isEmpty }.reduce(0) { sum, stage in
        let manifest = try? Manifest(of: complete.directory + "/" + stage.directory)
        return sum + (manifest?.outputs.reduce(0) { $0 + $1.bytes } ?? 0)
      }
    }
  }

  /// The peak memory of its largest stage in bytes.
  var peakMemory: Int? { complete?.record.stages.compactMap(\.peakMemory).max() }

  func check() -> HealthCheck {
    if let newest {
      let failed = newest.record?.stages.last { $0.status != 0 }
      let how =
        failed.map { "failed in \($0.stage) with status \($0.status)" }
        ?? "was interrupted, or goes on right now"
      if let tool = newest.record?.tool, tool != Tool.name {
        return HealthCheck(
          "last run", .note,
          "run \(newest.number) is not complete, and \(tool) made it: 'nightjar run' starts a new run")
      }
      return HealthCheck(
        "last run", .note,
        "run \(newest.number) \(how): 'nightjar run --resume' goes on with it, 'nightjar run' begins anew")
    }
    guard let record = complete?.record else {
      return HealthCheck("last run", .note, "none yet: 'nightjar run'")
    }
    let seconds = record.stages.reduce(0) { $0 + $1.seconds }
    return HealthCheck(
      "last run", .well,
      "run \(record.run) is complete, of \(record.finished ?? record.started), in \(seconds.fixed(1)) s")
  }
}
