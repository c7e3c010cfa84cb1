package import Files
internal import System

/// Where the runs of one pipeline lie: `<work>/<pipeline>/runs/<number>`, and `latest` beside them.
package struct RunDirectories: Hashable, Sendable {
  /// `<work>/<pipeline>`.
  package let root: String

  package init(work: String, pipeline: String) {
    root = work + "/" + pipeline
  }

  package func path(of run: Int) -> String { "\(root)/runs/\(run)" }

  /// The numbers of all runs, complete or not, in ascending order.
  package func numbers() throws(FileError) -> [Int] {
    let runs = root + "/runs"
    guard Directories.exists(runs) else { return [] }
    // As they are written here: no '07', and nothing that somebody else put there.
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
      throw FileError(.create, root + "/runs", reason: "the largest run number is taken")
    }
    try Directories.create(path(of: next))
    return next
  }

  /// Removes what dead processes have left half done, in all runs, and does what they had left to do: to be called under
  /// the lock, which says that they are dead.
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

  /// Makes `latest` point to the newest complete run, which a run that was killed at its very end had left to do.
  package func completeLatest() throws(FileError) {
    guard let newest = try numbers().last(where: isComplete), newest != latestNumber else { return }
    try markLatest(newest)
  }

  /// The number of the run that `latest` points to.
  private var latestNumber: Int? {
    Int(Directories.resolved(root + "/latest").split(separator: "/").last ?? "")
  }

  /// Whether the run reached its end. One whose record is damaged is none to build upon, and no reason to do without lists.
  private func isComplete(_ run: Int) -> Bool { (try? RunRecord.isComplete(path(of: run))) ?? false }

  /// How names of run directories begin that are being removed.
  private static let removed = ".removed-"

  /// Removes a run: first its name, in one step, since a run without some of its files must not be taken for one.
  private func remove(_ run: Int) throws(FileError) {
    let hidden = "\(root)/runs/\(Self.removed)\(run)"
    try Directories.remove(hidden)
    try Directories.moveIntoPlace(path(of: run), to: hidden)
    try Directories.remove(hidden)
  }

  /// Whether nobody but a holder of the run's lock writes under the name.
  private static func isLeftover(_ name: String) -> Bool {
    let stages = Stage.allCases.filter { !$0.directory.isEmpty }.map { ".\($0.directory).partial" }
    return stages.contains { name == $0 || name == $0 + ".stopped" }
      || name.hasPrefix("run.json.") && (name.hasSuffix(".partial") || name.hasSuffix(".stopped"))
  }

  /// Makes `latest` point to the complete run `run`.
  package func markLatest(_ run: Int) throws(FileError) {
    try Directories.link(root + "/latest", to: "runs/\(run)")
  }

  /// Removes what is older than the newest `count` complete runs: failed nights do not push out good ones.
  package func prune(keeping count: Int) throws(FileError) {
    var complete = 0
    for run in try numbers().reversed() {
      if complete >= count {
        try remove(run)
      } else if isComplete(run) {
        complete += 1
      }
    }
  }

  /// Removes what a new run has no use for, so that there is room for it: what is older than the newest `count` complete runs,
  /// and runs that failed, which nothing can resume any more, but for the newest, which may tell why.
  package func makeRoom(keeping count: Int) throws(FileError) {
    try prune(keeping: count)
    for run in try numbers().filter({ !isComplete($0) }).dropLast() { try remove(run) }
  }

  /// The runs among which the run directory `run` stands; `nil` where it stands alone.
  package init?(around run: String) {
    // Where it really is: `.`, `latest` and a slash at the end must not lead elsewhere, to another lock for one.
    let runs = Directories.parent(of: Directories.resolved(run))
    guard runs.hasSuffix("/runs") else { return nil }
    root = Directories.parent(of: runs)
  }

  /// The directory of the last complete run.
  ///
  /// - Throws: `FileError` of `find` where there is none.
  package func latest() throws(FileError) -> String {
    let path = root + "/latest"
    guard Directories.exists(path) else {
      throw FileError(
        .find, path, reason: "no run of this pipeline is complete",
        advice: "Run 'nightjar run' first, or name another directory with --work.")
    }
    return path
  }

  /// The directory of the run `number`, or of the last complete one.
  ///
  /// - Throws: `FileError` of `find` if there is no such run.
  package func directory(of number: Int?) throws(FileError) -> String {
    guard let number else { return try latest() }
    let path = path(of: number)
    guard Directories.exists(path) else {
      let kept = try numbers().map(String.init).joined(separator: ", ")
      throw FileError(
        .find, path, reason: "there is no run \(number)", advice: "Runs that are kept: \(kept).")
    }
    return path
  }

  /// The directory of a run as `--run` names it: by its number, or by its path, which may lie anywhere.
  ///
  /// - Parameter chosen: The number or path; `nil` is the last complete run.
  /// - Returns: The directory.
  /// - Throws: `FileError` of `find` if there is no such run.
  package func directory(chosen: String?) throws(FileError) -> String {
    guard let chosen, Int(chosen) == nil else { return try directory(of: chosen.flatMap { Int($0) }) }
    guard Directories.exists(chosen) else {
      throw FileError(.find, chosen, reason: "there is no such run directory")
    }
    return chosen
  }

  /// The names of the pipelines with a complete run under the directory `work`, sorted.
  package static func pipelines(in work: String) throws(FileError) -> [String] {
    guard Directories.exists(work) else { return [] }
    return try Directories.names(in: work).filter { Directories.exists("\(work)/\($0)/latest") }
  }

  /// The runs of the only pipeline with a complete run under the directory `work`.
  ///
  /// - Throws: `StageFailure` if there is none, or more than one.
  package static func only(in work: String) throws -> RunDirectories {
    let complete = try pipelines(in: work)
    if let only = complete.first, complete.count == 1 { return RunDirectories(work: work, pipeline: only) }
    if complete.isEmpty {
      throw StageFailure(
        .missingInput,
        "no pipeline has run under '\(work)'. Run 'nightjar run' first, or name another directory with --work."
      )
    }
    throw StageFailure(
      .usage,
      "several pipelines have run under '\(work)': \(complete.joined(separator: ", ")). Name the pipeline file."
    )
  }
}
