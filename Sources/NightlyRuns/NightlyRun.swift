internal import CommandLine
internal import Files
internal import Foundation
internal import Glibc
internal import Ingest
package import PipelineFile
internal import Publishing
package import RunSchemas
internal import ServingStore
internal import System
package import Text

/// One run of a pipeline: its stages in order, each in its own process.
///
/// The module `NightlyRuns` starts, resumes, records and checks runs. It starts stages as separate processes,
/// so a stage that crashes or exhausts memory cannot end the run without a record. The module must not depend
/// on `Models`, `Ranking` or `Evaluation`.
package struct NightlyRun {
  /// The options of `nightjar run`.
  package struct Options {
    package var pipelineFile: String
    package var overrides: [String]
    package var work: String
    package var until: Stage
    package var threads: Int
    /// The argument of `--as-of`; `nil` if the option is absent.
    package var asOf: Pipeline.AsOf?
    package var beginning: RunBeginning
    package var log: LogFormat
    /// The file for the metrics of the run; `nil` for no metrics.
    package var metrics: String?
    /// The destination of the run's lineage events; `nil` for no events.
    package var lineage: LineageDestination?
    /// Whether to evaluate the lists before publishing them.
    package var evaluates: Bool
    /// Whether the run ends with a report in the folder `reports` of the work directory.
    package var reports: Bool
    /// Whether to accept any loss of rows in sources, and of users in rankings, for this run.
    package var acceptsDrop: Bool

    package init(
      pipelineFile: String, overrides: [String], work: String, until: Stage, threads: Int,
      asOf: Pipeline.AsOf?,
      evaluates: Bool, reports: Bool = false, acceptsDrop: Bool = false, beginning: RunBeginning = .new,
      log: LogFormat = .text, metrics: String? = nil, lineage: LineageDestination? = nil
    ) {
      self.pipelineFile = pipelineFile
      self.overrides = overrides
      self.work = work
      self.until = until
      self.threads = threads
      self.asOf = asOf
      self.evaluates = evaluates
      self.reports = reports
      self.acceptsDrop = acceptsDrop
      self.beginning = beginning
      self.log = log
      self.metrics = metrics
      self.lineage = lineage
    }
  }

  private let pipeline: Pipeline
  private let options: Options
  private let directories: RunDirectories
  private let clock: () -> Instant
  private let start: Starter

  /// Runs a command of `nightjar` and waits until it ends. The parameters are the command, its arguments, and
  /// the file descriptor of the run's lock.
  typealias Starter = (String, [String], Int32) throws(FileError) -> StageProcess.StageEnd

  /// Creates a run that starts its stages as child processes.
  ///
  /// - Parameters:
  ///   - pipeline: The parsed pipeline file.
  ///   - options: The options of the command line.
  ///   - clock: The clock for the times in the records of the run and of its stages.
  package init(_ pipeline: Pipeline, _ options: Options, clock: @escaping () -> Instant) {
    self.init(pipeline, options, clock: clock, start: StageProcess.run(_:_:lock:))
  }

  /// Creates a run that starts its stages with `start`.
  ///
  /// - Parameters:
  ///   - pipeline: The parsed pipeline file.
  ///   - options: The options of the command line.
  ///   - clock: The clock.
  ///   - start: The function that runs a stage or the report. Tests pass a function that starts no process.
  init(
    _ pipeline: Pipeline, _ options: Options, clock: @escaping () -> Instant, start: @escaping Starter
  ) {
    self.clock = clock
    self.pipeline = pipeline
    self.options = options
    self.start = start
    directories = RunDirectories(work: options.work, pipeline: pipeline.name)
  }

  /// The result of a successful run.
  package struct Ended {
    /// The run directory.
    package var directory: String
    /// Whether every store still serves the same rows as before the run.
    package var isUnchanged: Bool
  }

  /// Runs all requested stages that are not complete yet, in order.
  ///
  /// - Parameter onBegin: Called when the run exists. From then on, the run writes its own report.
  /// - Returns: The run directory, and whether all stores still serve the same rows.
  /// - Throws: `NothingToEvaluate`, `UnknownGroup`, `LockHeld`, `ClockWentBack`, `FileError`; `ExportError`
  ///   or `TombstoneError` if a resumed run cannot compare its inputs; `StageFailure` if the run cannot
  ///   begin, is interrupted, or has lists, matches or catalogs that shrank too much; `StageFailure` with the
  ///   status of a failed stage, which has already reported the reason.
  package func run(onBegin: () -> Void = {}) throws -> Ended {
    // Mistakes in the pipeline file are reported before any stage runs.
    try pipeline.checkStores()
    _ = try pipeline.reportAccess()
    if stages.contains(.evaluate) { _ = try pipeline.judgeable() }
    try checkGuards()
    let began = clock()
    let lock = try RunLock(
      of: directories.root, holder: "process \(getpid()), started \(began),")
    if let metrics = options.metrics { try RunMetrics.check(metrics) }
    // After a signal, the run stops the running stage, keeps only complete stages, and reports the
    // interruption. A signal after the last stage has no effect.
    Interruption.react { StageProcess.stop(by: $0) }
    try directories.checkLatest()
    try directories.removeLeftovers()
    try directories.completeLatest()
    if options.beginning != .resumed { try directories.makeRoom(keeping: pipeline.keepRuns) }
    try checkClock(began)
    let (number, done) = try begin()
    let directory = directories.path(of: number)
    var record = try record(of: number, done, began)
    let records = RecordWriter(directory)
    let lineage = lineage(record, directory)
    lineage?.night(.start, asOf: record.asOf)
    try FailedStart.remove(from: directories.root)
    onBegin()
    do {
      let ended = try run(number, done, &record, records, lineage, lock.descriptor)
      try writeMetrics(record, .complete, directory)
      // The event follows the metrics, because a run fails if its metrics cannot be written.
      lineage?.night(.complete, asOf: record.asOf)
      // A run that ends with an earlier stage is not complete, so the report would not describe this run.
      if record.complete { report(number, lock.descriptor) }
      return ended
    } catch {
      // Errors of these writes are ignored, because the caller reports the earlier failure. `finish` waits
      // for all writes, because the process may end soon.
      record.finished = clock().description
      record.status = ExitStatus(error).rawValue
      try? records.write(record)
      try? records.finish()
      lineage?.night(
        Interruption.received == nil ? .fail : .abort, asOf: record.asOf, message: "\(error)")
      try? writeMetrics(record, ExitStatus(error), directory)
      // The report of the last complete run is written again, so that it states that this run failed.
      report(number, lock.descriptor)
      throw error
    }
  }

  private func lineage(_ record: RunRecord, _ directory: String) -> Lineage? {
    options.lineage.map { destination in
      Lineage(
        LineageEvents(
          pipeline: pipeline, root: directories.root, directory: directory,
          namespace: destination.namespace, started: record.started),
        to: destination, options.log, clock: clock)
    }
  }

  /// Writes the report in a separate process, unless the run was interrupted. A failed report does not fail
  /// the run, because the lists do not depend on it.
  private func report(_ run: Int, _ lock: Int32) {
    guard options.reports, Interruption.received == nil else { return }
    let reporter = RunReporter(
      options.log, pipeline, run: run, directory: directories.path(of: run), work: options.work)
    var arguments = [
      options.pipelineFile, "--work", options.work, "--out", options.work + "/reports", "--quiet",
    ]
    for override in options.overrides { arguments += ["--set", override] }
    do {
      let ended = try start("report", arguments, lock)
      let page = String(decoding: ended.output, as: UTF8.self).trimmingCharacters(in: .newlines)
      reporter.reported(ended.ending == .status(0) ? page : nil, reason: ended.ending.inWords)
    } catch {
      reporter.reported(nil, reason: error.description)
    }
  }

  private func writeMetrics(_ record: RunRecord, _ status: ExitStatus, _ directory: String) throws {
    guard let file = options.metrics else { return }
    try RunMetrics(file, pipeline).write(record, at: clock(), status: status, directory: directory)
  }

  /// The command that continues the run, for messages.
  private var resume: String {
    ShownCommand.text("run", pipeline.file, set: options.overrides, work: options.work, "--resume")
  }

  private func run(
    _ number: Int, _ done: [Stage], _ record: inout RunRecord, _ records: RecordWriter, _ lineage: Lineage?,
    _ lock: Int32
  ) throws -> Ended {
    let directory = directories.path(of: number)
    try records.write(record)
    let reporter = RunReporter(options.log, pipeline, run: number, directory: directory, work: options.work)
    let space = SpaceCheck(pipeline: pipeline, directories: directories, directory: directory)
    reporter.runBegan()
    try reporter.skipped(done)
    let drops = ListDrops(pipeline: pipeline, directories: directories, directory: directory)
    if done.contains(.rank), !options.acceptsDrop { try drops.check() }
    for stage in stages where !done.contains(stage) {
      try Interruption.check(whole: directory, resume: resume)
      try space.check(stage)
      reporter.began(stage)
      lineage?.began(stage)
      let stopwatch = ContinuousClock()
      let began = stopwatch.now
      let ended = try start(stage.rawValue, arguments(stage, directory, record), lock)
      let seconds = began.duration(to: stopwatch.now).inSeconds
      record.stages.append(
        RunRecord.StageRecord(
          stage: stage.rawValue, seconds: seconds, status: ended.ending.exitStatus,
          peakMemory: ended.peakMemory))
      guard ended.ending == .status(0) else {
        reporter.failed(stage, ended.ending, seconds: seconds)
        lineage?.failed(
          stage, Interruption.received == nil ? .fail : .abort, "the stage ended with \(ended.ending.inWords)"
        )
        try Interruption.check(whole: directory, resume: resume)
        throw StageFailure(ended.ending, stage, directory, resume: resume)
      }
      if stage == .ingest { try record.takeAsOf(of: directory) }
      if stage == .publish {
        record.published = try JSONDecoder().decode(JSONValue.self, from: Data(ended.output))
      }
      try reporter.ended(stage, published: record.published, seconds: seconds)
      lineage?.ended(stage, record.published)
      if stage == .rank, !options.acceptsDrop { try drops.check() }
      if stage != stages.last { try records.write(record) }
    }

    record.finished = clock().description
    record.complete = stages.last == allStages.last
    try records.write(record)
    try records.finish()
    if record.complete {
      try directories.markLatest(number)
      try directories.prune(keeping: pipeline.keepRuns)
    }
    try reporter.runEnded(
      place: record.complete ? directories.root + "/latest" : directory, hasLists: stages.contains(.rank))
    let reports = record.published?.storeReports ?? []
    return Ended(
      directory: directory,
      isUnchanged: !reports.isEmpty && reports.allSatisfy { $0["unchanged"] == .boolean(true) })
  }

  private var evaluates: Bool { options.evaluates || options.until == .evaluate }

  private var allStages: [Stage] { pipeline.stages(evaluates: evaluates) }

  private var stages: [Stage] {
    let last = Stage.allCases.firstIndex(of: options.until) ?? 0
    return allStages.filter { Stage.allCases.prefix(last + 1).contains($0) }
  }

  /// If the pipeline file limits the quality of the lists, checks that a new run evaluates the lists. A
  /// resumed run may already have an evaluation, so the publish stage makes this check.
  private func checkGuards() throws(StageFailure) {
    guard options.beginning == .new, stages.contains(.publish), !evaluates,
      let limits = pipeline.publication?.quality, !limits.stated.isEmpty
    else { return }
    throw MissingEvaluation(limits: limits).failure
  }

  /// Checks that the clock did not go back since the last complete run. If it did, the error is thrown before
  /// a run is created, because `--resume` would keep the wrong time.
  private func checkClock(_ began: Instant) throws {
    guard options.beginning == .new else { return }
    if case .moment = options.asOf ?? pipeline.asOf { return }
    if let former = try directories.snapshotToCompare(with: pipeline),
      let wrong = ClockWentBack(began, after: former)
    {
      throw wrong
    }
  }

  /// Returns the number of the run, and the stages that are already complete.
  private func begin() throws -> (number: Int, done: [Stage]) {
    let continuation = RunContinuation(
      pipeline: pipeline, directories: directories, threads: options.threads)
    let number: Int
    switch options.beginning {
    case .new: return (try directories.createNext(), [])
    case .resumed: number = try continuation.interrupted()
    case .from(let stage):
      try continuation.checkLast(before: stage)
      number = try directories.createNext()
      try continuation.link(before: stage, into: number)
    }
    let directory = directories.path(of: number)
    let done = Stage.allCases.filter {
      !$0.directory.isEmpty && Directories.exists("\(directory)/\($0.directory)")
    }
    try checkAsOf(number, done)
    return (number, done)
  }

  /// Checks that a requested as-of time equals the as-of time of the snapshot that this run reuses, if any.
  private func checkAsOf(_ number: Int, _ done: [Stage]) throws {
    guard let asked = options.asOf, done.contains(.ingest) else { return }
    let snapshot = try Manifest(of: directories.path(of: number) + "/" + Stage.ingest.directory)
    guard asked != .moment(snapshot.asOf) else { return }
    throw StageFailure(
      .badPipelineFile,
      "run \(number) already has a snapshot as of \(snapshot.asOf), but --as-of sets another time. Omit --as-of, "
        + "or start a new run.")
  }

  /// Returns the record of the run. A resumed run continues its earlier record, and keeps its as-of time.
  private func record(of number: Int, _ done: [Stage], _ began: Instant) throws -> RunRecord {
    var record = RunRecord(
      pipeline: pipeline.name, pipelineFile: options.pipelineFile, overrides: options.overrides, run: number,
      threads: options.threads, started: began)
    record.acceptsDrop = options.acceptsDrop
    let directory = directories.path(of: number)
    record.set(options.asOf ?? pipeline.asOf, clock: began)
    if options.beginning == .resumed, Directories.exists(directory + "/run.json") {
      let before = try RunRecord(of: directory)
      record.started = before.started
      if options.asOf == nil, before.asOfFrom != nil {
        (record.asOf, record.asOfFrom) = (before.asOf, before.asOfFrom)
      }
      record.stages = before.stages.filter { stage in
        stage.status == 0 && done.contains { $0.rawValue == stage.stage }
      }
    }
    if done.contains(.ingest) { try record.takeAsOf(of: directory) }
    return record
  }

  private func arguments(_ stage: Stage, _ directory: String, _ record: RunRecord) -> [String] {
    var arguments = [
      options.pipelineFile, "--run-dir", directory, "--threads", String(options.threads), "--quiet",
    ]
    for override in options.overrides { arguments += ["--set", override] }
    if stage == .ingest { arguments += record.asOfArguments }
    if options.acceptsDrop, stage == .ingest || stage == .publish { arguments.append("--accept-drop") }
    return arguments
  }
}

extension Pipeline {
  /// Returns the stages of a run. A run with neither models nor discovery orders has no stage `fit`, and a
  /// run without stores has no stage `publish`. The stage `evaluate` runs only on request.
  func stages(evaluates: Bool) -> [Stage] {
    Stage.allCases.filter { stage in
      switch stage {
      case .fit: isFitted
      case .publish: publication != nil
      case .evaluate: evaluates
      default: true
      }
    }
  }
}
