internal import CommandLine
internal import Files
internal import Glibc
internal import Ingest
internal import PipelineFile
internal import Readers
internal import RunSchemas
internal import ServingStore
internal import Text

/// Checks, before a stage starts, whether the disk has space for its output. Without this check, the stage
/// could fail hours later.
struct SpaceCheck {
  let pipeline: Pipeline
  let directories: RunDirectories
  /// The run directory.
  let directory: String
  /// Returns the number of free bytes for this account at a path; `nil` if the system does not report it.
  var free: (_ path: String) -> Int? = SpaceCheck.free

  /// The safety factor of estimates that are scaled from the last run.
  private static let margin = 1.1
  /// The usual expansion factor of a compressed export.
  private static let expansion = 5
  /// The number of bytes of one list entry with three reasons, in the JSON and the CSV file together.
  private static let recommendationBytes = 330

  /// The divisor for the size of full lists. The estimate assumes that lists are at least a tenth full on
  /// average.
  private static let emptiest = 10

  /// Checks that the disk has space for `stage`.
  ///
  /// - Throws: `FileError` with `write` if space is short; the message contains the approximate need and the
  ///   free space. `FileError` with `find` or `read` if a manifest of this run is missing or unreadable.
  func check(_ stage: Stage) throws(FileError) {
    for need in try needs(stage) {
      guard let free = free(need.path), need.bytes > free else { continue }
      throw FileError(
        .write, need.path,
        reason:
          "\(stage.rawValue) needs about \(need.bytes.asBytes), but only \(free.asBytes) is free",
        advice: stage == .publish
          ? "Free some space, or move the store to a larger disk."
          : "Free some space, lower 'keep_runs', or choose another directory with --work.")
    }
  }

  /// Returns the directories to which the stage will write, with the estimated numbers of bytes. The result
  /// is empty if no estimate is possible. An estimate scales the output in the last complete run by the size
  /// of the input. Without a complete run, the estimate depends on the input alone.
  func needs(_ stage: Stage) throws(FileError) -> [(path: String, bytes: Int)] {
    switch stage {
    case .evaluate: return []
    case .publish: return try publishNeeds()
    case .ingest, .index, .fit, .rank: break
    }
    let reads = try bytesRead(by: stage, in: directory)
    let last = directories.root + "/latest"
    // A damaged run cannot be used for an estimate, but must not stop this run.
    if Directories.exists("\(last)/\(stage.directory)"), let before = try? bytesRead(by: stage, of: last),
      let wrote = try? Self.bytes(of: "\(last)/\(stage.directory)")
    {
      return [(directory, Self.scaled(wrote, by: Double(reads) / Double(max(1, before)) * Self.margin))]
    }
    switch stage {
    // A snapshot takes about half the size of CSV exports. The factor adds a reserve.
    case .ingest: return [(directory, Self.scaled(reads, by: 0.7))]
    // The lengths of the lists are still unknown, so this estimate is a lower bound.
    case .rank: return [(directory, try users() * Self.recommendationBytes / Self.emptiest)]
    default: return [(directory, reads / 5)]
    }
  }

  private func publishNeeds() throws(FileError) -> [(path: String, bytes: Int)] {
    let lists = try Self.bytes(of: directory + "/" + Stage.rank.directory)
    var needs: [(path: String, bytes: Int)] = []
    for store in pipeline.publication?.stores ?? [] {
      guard let address = try? StoreAddress(parsing: store, relativeTo: pipeline.directory) else { continue }
      switch address.backend {
      case .sqlite(let path):
        // SQLite first writes the rows to the write-ahead log. Later, the rows reuse the space of a dropped
        // generation in the store's file. An existing log, for example after a full disk, is overwritten.
        needs.append((Directories.parent(of: path), lists - Self.size(path + "-wal")))
      // The free space of a database server is unknown to this program.
      case .postgresql, .redis: break
      }
    }
    return needs
  }

  /// Returns the number of bytes that a stage reads in this run: the exports for ingest, otherwise the
  /// snapshot.
  private func bytesRead(by stage: Stage, in directory: String) throws(FileError) -> Int {
    guard stage == .ingest else { return try Self.bytes(of: directory + "/" + Stage.ingest.directory) }
    return ExportSizes.files(of: pipeline).reduce(0) { sum, file in
      sum + file.bytes * (file.isCompressed ? Self.expansion : 1)
    }
  }

  /// Returns the number of bytes that `stage` of the complete run `run` read, or `nil` if the run has no
  /// snapshot.
  private func bytesRead(by stage: Stage, of run: String) throws(FileError) -> Int? {
    let snapshot = run + "/" + Stage.ingest.directory
    guard Directories.exists(snapshot) else { return nil }
    guard stage == .ingest else { return try Self.bytes(of: snapshot) }
    // The manifest contains the compressed sizes, so the expansion factor applies here too.
    return try Manifest(of: snapshot).inputs.reduce(0) { sum, input in
      sum + input.bytes * (ExportSizes.isCompressed(input.path) ? Self.expansion : 1)
    }
  }

  /// Returns the number of entries that all lists would have if they were full.
  private func users() throws(FileError) -> Int {
    let counts = try Manifest(of: directory + "/" + Stage.ingest.directory).counts["sources"]
    return pipeline.rankings.reduce(0) { sum, ranking in
      sum + (counts?[ranking.users]?["kept"]?.integerValue ?? 0) * ranking.top
    }
  }

  private static func bytes(of stage: String) throws(FileError) -> Int {
    try Manifest(of: stage).outputs.reduce(0) { $0 + $1.bytes }
  }

  private static func size(_ path: String) -> Int {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  private static func scaled(_ bytes: Int, by factor: Double) -> Int {
    Int(min(Double(bytes) * factor, 1e18))
  }

  static func free(_ path: String) -> Int? {
    // The nearest existing parent is used, because the directory may not exist yet.
    var path = path
    while !Directories.exists(path), Directories.parent(of: path) != path {
      path = Directories.parent(of: path)
    }
    var status = statvfs()
    // A file system that reports no blocks is not on a disk.
    guard unsafe statvfs(path, &status) == 0, status.f_blocks > 0 else { return nil }
    let (bytes, overflow) = Int(clamping: status.f_bavail).multipliedReportingOverflow(
      by: Int(clamping: status.f_frsize))
    return overflow ? nil : bytes
  }
}
