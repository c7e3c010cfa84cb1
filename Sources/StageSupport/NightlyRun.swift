internal import Foundation
internal import Glibc
package import PipelineFile
internal import Processes
internal import ServingStore
package import Tables

/// One run of a pipeline: its stages in order, each in its own process.
package struct NightlyRun {
  /// What the command line asked for.
  package struct Options {
    package var pipelineFile: String
    package var overrides: [String]
    package var work: String
    package var until: Stage
    package var threads: Int
    package var asOf: Instant?
    /// Whether lists are judged before they are published.
    package var evaluates: Bool

    package init(
      pipelineFile: String, overrides: [String], work: String, until: Stage, threads: Int, asOf: Instant?,
      evaluates: Bool
    ) {
      self.pipelineFile = pipelineFile
      self.overrides = overrides
      self.work = work
      self.until = until
      self.threads = threads
      self.asOf = asOf
      self.evaluates = evaluates
    }
  }

  private let pipeline: Pipeline
  private let options: Options
  private let directories: RunDirectories

  package init(_ pipeline: Pipeline, _ options: Options) {
    self.pipeline = pipeline
    self.options = options
    directories = RunDirectories(work: options.work, pipeline: pipeline.name)
  }

  /// Runs the stages and returns the run directory.
  ///
  /// - Throws: `LockHeld`, `FileError`; `StageFailure` with the status of the stage that failed, which has told
  ///   its reason itself.
  package func run() throws -> String {
    for store in pipeline.publication?.stores ?? [] {
      // A wrong address should not cost a night.
      do {
        _ = try StoreAddress(parsing: store, relativeTo: pipeline.directory)
      } catch {
        throw StageFailure(ExitStatus(error), "\(pipeline.file): 'publish.store': \(error)")
      }
    }
    let lock = try RunLock(
      of: directories.root, holder: "process \(getpid()), started \(Clock.now.description),")
    let number = try directories.createNext()
    let directory = directories.path(of: number)
    var record = RunRecord(
      pipeline: pipeline.name, pipelineFile: options.pipelineFile, overrides: options.overrides, run: number,
      threads: options.threads)
    let records = RecordWriter(directory)
    try records.write(record)

    if !Console.isTerminal { Console.tell("\(pipeline.name), run \(number)") }
    for stage in stages {
      if Console.isTerminal {
        Console.draw("  \(stage.rawValue) ...")
      } else {
        Console.tell("  \(stage.rawValue.padded(to: 9)) started")
      }
      let clock = ContinuousClock()
      let start = clock.now
      let ended = try ChildProcess.run(
        stage.executable, arguments(stage, directory), lock: lock.descriptor)
      let seconds = start.duration(to: clock.now).inSeconds
      Console.draw("")
      record.stages.append(
        RunRecord.Stage(
          stage: stage.rawValue, seconds: seconds, status: ended.ending.exitStatus,
          peakMemory: ended.peakMemory))
      guard ended.ending == .status(0) else {
        record.finished = Clock.now.description
        try records.write(record)
        try records.finish()
        throw StageFailure(ended.ending, stage, directory)
      }
      try tell(stage, number, directory, ended.output, seconds, &record)
      if stage != stages.last { try records.write(record) }
    }

    record.finished = Clock.now.description
    record.complete = stages.last == allStages.last
    try records.write(record)
    try records.finish()
    if record.complete {
      try directories.markLatest(number)
      try directories.prune(keeping: pipeline.keepRuns)
    }
    try tellWhere(directory, isLatest: record.complete)
    return directory
  }

  /// The stages that the pipeline has: without a model nothing is fitted, without a store nothing is published, and
  /// evaluation is for who asks for it.
  private var allStages: [Stage] {
    Stage.allCases.filter { stage in
      switch stage {
      case .fit: !pipeline.models.isEmpty
      case .publish: pipeline.publication != nil
      case .evaluate: options.evaluates || options.until == .evaluate
      default: true
      }
    }
  }

  private var stages: [Stage] {
    let last = Stage.allCases.firstIndex(of: options.until) ?? 0
    return allStages.filter { Stage.allCases.prefix(last + 1).contains($0) }
  }

  private func arguments(_ stage: Stage, _ directory: String) -> [String] {
    var arguments = [
      options.pipelineFile, "--run-dir", directory, "--threads", String(options.threads), "--quiet",
    ]
    for override in options.overrides { arguments += ["--set", override] }
    if stage == .ingest, let asOf = options.asOf { arguments += ["--as-of", asOf.description] }
    return arguments
  }

  private func tell(
    _ stage: Stage, _ number: Int, _ directory: String, _ output: [UInt8], _ seconds: Double,
    _ record: inout RunRecord
  ) throws {
    guard stage != .publish else {
      let published = try JSONDecoder().decode(JSONValue.self, from: Data(output))
      record.published = published
      // One report, or one per store.
      for report in published.elements.isEmpty ? [published] : published.elements {
        Console.tell(Stage.line(published: report, seconds: seconds))
      }
      return
    }
    let manifest = try Manifest(of: directory + "/" + stage.directory)
    if stage == .ingest { tellBeginning(number, manifest) }
    Console.tell(stage.line(manifest, pipeline, seconds: seconds))
  }

  private func tellBeginning(_ number: Int, _ manifest: Manifest) {
    Console.tell(
      Console.isTerminal
        ? "\(pipeline.name), run \(number), as of \(manifest.asOf)" : "  as of \(manifest.asOf)")
    if manifest.counts["as_of_from"] == "clock" {
      Console.tell("  as-of: the machine's clock, since there is no interaction and no check-in")
    }
    if pipeline.privacy.isDefault, pipeline.entities.contains(where: \.hasPosition) {
      Console.tell(
        "  positions are snapped to cells of precision \(pipeline.privacy.snapPrecision), the default: set "
          + "privacy.snap_positions_to to choose")
    }
    for (name, source) in (manifest.counts["sources"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) {
      if source["read"] == 0 {
        Console.tell("  warning: '\(name)' has no rows at all: is its export the right file?")
      }
      if case .array(let fields) = source["absent_fields"] {
        let names = fields.compactMap { if case .string(let field) = $0 { "'\(field)'" } else { nil } }
        Console.tell(
          "  warning: no record of '\(name)' has \(names.joined(separator: ", ")): are they misspelt?")
      }
    }
  }

  /// What was lost, by source and rule, most first.
  private func rejectLines(_ snapshot: Manifest) -> [String] {
    let sources = (snapshot.counts["sources"]?.members ?? [:]).sorted { $0.key < $1.key }
    let lines = sources.flatMap { name, source in
      let rules = (source["rejected"]?.members ?? [:]).map { ($0.key, $0.value.integerValue ?? 0) }
        .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
      return rules.map { "\($0.1.grouped) \($0.0)" }.wrapped(after: name + ": ", width: 100)
    }
    return lines.enumerated().map { ($0 == 0 ? "  rejected  " : "            ") + $1 }
  }

  private func tellWhere(_ directory: String, isLatest: Bool) throws {
    let snapshot = try Manifest(of: directory + "/" + Stage.ingest.directory)
    let place = isLatest ? directories.root + "/latest" : directory
    for line in rejectLines(snapshot) { Console.tell(line) }
    let sources = (snapshot.counts["sources"]?.members ?? [:]).values
    let isCut = sources.contains { $0["rejects_written"] != nil }
    Console.tell(
      "  rejects   \(place)/snapshot/rejects.csv" + (isCut ? ", the first of each rule and file" : ""))
    if stages.contains(.rank) { Console.tell("  lists     \(place)/rankings") }
    Console.tell("  times     \(place)/run.json")
  }
}

extension ProcessEnding {
  /// As a shell reports it: 128 plus the signal's number for a killed process.
  fileprivate var exitStatus: Int32 {
    switch self {
    case .status(let status): status
    case .signal(let signal): 128 + signal
    }
  }
}

extension StageFailure {
  /// The failure of a stage's process, with its own status where that is one of ours.
  fileprivate init(_ ending: ProcessEnding, _ stage: Stage, _ directory: String) {
    let rest = "Earlier stages of '\(directory)' are whole; what was served before is untouched"
    switch ending {
    case .status(let status):
      self.init(
        ExitStatus(rawValue: status) ?? .internalError,
        "\(stage.rawValue) failed with status \(status). \(rest).")
    case .signal(let signal):
      let hint = signal == 9 ? " (out of memory, or somebody's kill)" : ""
      self.init(.internalError, "\(stage.executable) was ended by signal \(signal)\(hint). \(rest).")
    }
  }
}

extension [String] {
  /// The elements with commas between them, in lines of about `width` characters that begin below each other;
  /// nothing for no element.
  fileprivate func wrapped(after label: String, width: Int) -> [String] {
    var lines: [String] = []
    for element in self {
      if let last = lines.last, last.count + element.count + 2 <= width {
        lines[lines.count - 1] = last + ", " + element
      } else {
        if let last = lines.popLast() { lines.append(last + ",") }
        lines.append((lines.isEmpty ? label : String(repeating: " ", count: label.count)) + element)
      }
    }
    return lines
  }
}
