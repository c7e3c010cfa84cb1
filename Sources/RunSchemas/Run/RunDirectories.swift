package import Files
internal import System

/// The directories of one pipeline's runs: `<work>/<pipeline>/runs/<number>`, and the link `latest` beside
/// `runs`.
package struct RunDirectories: Hashable, Sendable {
  /// The directory `<work>/<pipeline>`.
  package let root: String

  package init(work: String, pipeline: String) {
    root = work + "/" + pipeline
  }

  /// The directory with the runs of all pipelines.
  package var work: String { Directories.parent(of: root) }

  package func path(of run: Int) -> String { "\(root)/runs/\(run)" }

  /// Returns the numbers of all runs, complete or not, in ascending order.
  package func numbers() throws(FileError) -> [Int] {
    let runs = root + "/runs"
    guard Directories.exists(runs) else { return [] }
    // Only names that this program writes are accepted, not "07" or other files.
    return try Directories.names(in: runs).compactMap { name in
      Int(name).flatMap {
        $0 > 0 && String($0) == name && Directories.isDirectory("\(runs)/\(name)") ? $0 : nil
      }
    }
    .sorted()
  }

  /// Creates the directory of the next run and returns its number.
  package func createNext() throws(FileError) -> Int {
    let (next, overflow) = (try numbers().last ?? 0).addingReportingOverflow(1)
    guard !overflow else {
      throw FileError(
        .create, root + "/runs", reason: "the newest run already has the highest possible number",
        advice: "Remove the run with the highest number.")
    }
    try Directories.create(path(of: next))
    return next
  }

  /// Removes the temporary files that dead processes left in all runs, and completes their unfinished
  /// removals of runs. The caller must hold the lock, which proves that the processes are dead.
  package func removeLeftovers() throws(FileError) {
    for name in try Directories.exists(root) ? Directories.names(in: root) : []
    where name.hasPrefix("latest.") && name.hasSuffix(".partial") {
      try Directories.remove("\(root)/\(name)")
    }
    let runs = root + "/runs"
    for name in try Directories.exists(runs) ? Directories.names(in: runs) : []
    where name.hasPrefix(Self.removed) {
      try Directories.remove("\(runs)/\(name)")
    }
    for run in try numbers() {
      for name in try Directories.names(in: path(of: run)) where Self.isLeftover(name) {
        try Directories.remove("\(path(of: run))/\(name)")
      }
    }
  }

  /// Points `latest` to the newest complete run, in case an earlier process was killed just before this step.
  ///
  /// A run with a damaged record counts as incomplete, but `latest` never moves back from it to an older run.
  package func completeLatest() throws(FileError) {
    guard let newest = try numbers().last(where: isComplete) else { return }
    if let latest = latestNumber, newest <= latest, Directories.exists(root + "/latest") { return }
    try markLatest(newest)
  }

  /// Checks that `latest` can become a link to a run.
  ///
  /// - Throws: `FileError` with the operation `create` if `latest` is a file or a directory, which a run must
  ///   not replace.
  package func checkLatest() throws(FileError) {
    let latest = root + "/latest"
    guard Directories.isEntry(latest), !Directories.isLink(latest) else { return }
    throw FileError(
      .create, latest, reason: "it must be a link to the last complete run, but it is not a link",
      advice: "Rename or remove it.")
  }

  /// The number of the run to which `latest` points; `nil` if there is no such link.
  private var latestNumber: Int? {
    Int(Directories.resolved(root + "/latest").split(separator: "/").last ?? "")
  }

  /// Returns whether the run is complete. A run with a damaged record counts as incomplete, so that it does
  /// not stop a new run.
  private func isComplete(_ run: Int) -> Bool { (try? RunRecord.isComplete(path(of: run))) ?? false }

  /// The prefix of run directories that are being removed.
  private static let removed = ".removed-"

  /// Removes a run. The directory is first renamed atomically, because a directory with missing files must
  /// not look like a run.
  private func remove(_ run: Int) throws(FileError) {
    let hidden = "\(root)/runs/\(Self.removed)\(run)"
    try Directories.remove(hidden)
    try Directories.moveIntoPlace(path(of: run), to: hidden)
    try Directories.remove(hidden)
  }

  /// Returns whether `name` is the name of a temporary file or directory, which only a process with the lock
  /// writes.
  private static func isLeftover(_ name: String) -> Bool {
    let stages = Stage.allCases.filter { !$0.directory.isEmpty }.map { ".\($0.directory).partial" }
    return stages.contains { name == $0 || name == $0 + ".stopped" }
      || name.hasPrefix("run.json.") && (name.hasSuffix(".partial") || name.hasSuffix(".stopped"))
  }

  /// Points `latest` to the complete run `run`.
  package func markLatest(_ run: Int) throws(FileError) {
    try Directories.link(root + "/latest", to: "runs/\(run)")
  }

  /// Removes all runs older than the newest `count` complete runs. Failed runs do not count, so they do not
  /// displace complete ones.
  package func prune(keeping count: Int) throws(FileError) {
    for run in try surplus(keeping: count) { try remove(run) }
  }

  /// Returns the runs older than the newest `count` complete runs, newest first.
  private func surplus(keeping count: Int) throws(FileError) -> [Int] {
    var complete = 0
    return try numbers().reversed().filter { run in
      if complete >= count { return true }
      if isComplete(run) { complete += 1 }
      return false
    }
  }

  /// Returns the failed runs that cannot be resumed.
  private func abandoned() throws(FileError) -> [Int] {
    // Only the newest failed run can be resumed. The last complete run stays, even if its record is damaged.
    try numbers().filter { !isComplete($0) }.dropLast().filter { $0 != latestNumber }
  }

  /// Returns the directories that a run removes before its first stage, provided that the runs do not change
  /// until then.
  package func removedBefore(keeping count: Int) throws(FileError) -> [String] {
    let runs = root + "/runs"
    let hidden = try Directories.exists(runs) ? Directories.names(in: runs) : []
    return hidden.filter { $0.hasPrefix(Self.removed) }.map { "\(runs)/\($0)" }
      + (try surplus(keeping: count) + abandoned()).map(path)
  }

  /// Returns the directories that a complete run removes after its last stage, except the directories in
  /// `removedBefore`.
  package func removedAfter(keeping count: Int) throws(FileError) -> [String] {
    let before = try removedBefore(keeping: count)
    return try surplus(keeping: count - 1).map(path).filter { !before.contains($0) }
  }

  /// Removes the runs older than the newest `count` complete runs, and the failed runs that cannot be
  /// resumed. The newest failed run stays, because it may show the cause of the failure.
  package func makeRoom(keeping count: Int) throws(FileError) {
    try prune(keeping: count)
    for run in try abandoned() { try remove(run) }
  }

  /// Finds the directories of the pipeline to which the run directory `run` belongs; `nil` if `run` is not in
  /// a pipeline's directory.
  package init?(around run: String) {
    // The path is resolved, because `.`, `latest` or a trailing slash must not lead to a different lock for
    // the same run.
    let runs = Directories.parent(of: Directories.resolved(run))
    guard runs.hasSuffix("/runs") else { return nil }
    root = Directories.parent(of: runs)
  }

  /// Returns the directory of the last complete run.
  ///
  /// - Throws: `FileError` with the operation `find` if no run is complete.
  package func latest() throws(FileError) -> String {
    let path = root + "/latest"
    guard Directories.exists(path) else {
      throw FileError(
        .find, path, reason: "no run of this pipeline is complete",
        advice: "Run 'nightjar run' first, or name another work directory with --work.")
    }
    return path
  }

  /// Returns the directory of the run with the number `number`, or of the last complete run if `number` is
  /// `nil`.
  ///
  /// - Throws: `FileError` with the operation `find` if the run does not exist.
  package func directory(of number: Int?) throws(FileError) -> String {
    guard let number else { return try latest() }
    let path = path(of: number)
    guard Directories.exists(path) else {
      let kept = try numbers().map(String.init).joined(separator: ", ")
      throw FileError(
        .find, path, reason: "run \(number) does not exist",
        advice: kept.isEmpty ? "Run 'nightjar run' first." : "Choose one of the kept runs: \(kept).")
    }
    return path
  }

  /// Returns the directory of the run that `--run` names by its number or its path.
  ///
  /// - Parameter chosen: The number, or the path of any directory; `nil` for the last complete run.
  /// - Returns: The directory.
  /// - Throws: `FileError` with the operation `find` if the run does not exist.
  package func directory(chosen: String?) throws(FileError) -> String {
    guard let chosen, Int(chosen) == nil else { return try directory(of: chosen.flatMap { Int($0) }) }
    guard Directories.exists(chosen) else {
      throw FileError(
        .find, chosen, reason: "this run directory does not exist",
        advice: "Name an existing run directory, or the number of a run.")
    }
    return chosen
  }

  /// Returns the sorted names of the pipelines with a complete run in the work directory `work`; empty if
  /// `work` does not exist.
  package static func pipelines(in work: String) throws(FileError) -> [String] {
    guard Directories.exists(work) else { return [] }
    return try Directories.names(in: work).filter { Directories.exists("\(work)/\($0)/latest") }
  }

  /// Returns the run directories of the only pipeline with a complete run in the work directory `work`.
  ///
  /// - Throws: `StageFailure` if no pipeline or more than one pipeline has a complete run; `FileError` if
  ///   `work` cannot be read.
  package static func only(in work: String) throws -> RunDirectories {
    let complete = try pipelines(in: work)
    if let only = complete.first, complete.count == 1 { return RunDirectories(work: work, pipeline: only) }
    if complete.isEmpty {
      throw StageFailure(
        .missingInput,
        "no pipeline has a complete run in '\(work)'. Complete a run with 'nightjar run', name the pipeline, "
          + "or name another work directory with --work.")
    }
    throw StageFailure(
      .usage,
      "several pipelines have complete runs in '\(work)': \(complete.joined(separator: ", ")). "
        + "Name the pipeline file.")
  }
}
