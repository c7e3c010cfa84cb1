internal import CommandLine
internal import DuckDB
internal import Files
internal import Foundation
internal import Glibc
internal import Ingest
internal import LeastSquares
package import PipelineFile
internal import Readers
internal import RunSchemas
internal import System
package import Text
internal import Tombstones

/// Checks whether a night would succeed on this machine, without changing anything.
package struct Doctor {
  private let pipeline: Pipeline
  private let directories: RunDirectories
  private let environment: [String: String]
  private let now: Instant

  /// Creates a doctor for one pipeline.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline file in force, already validated.
  ///   - work: The directory with the runs of all pipelines.
  ///   - now: The machine's clock.
  ///   - environment: The environment of the night.
  package init(
    _ pipeline: Pipeline, work: String, now: Instant,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.now = now
    self.pipeline = pipeline
    self.environment = environment
    directories = RunDirectories(work: work, pipeline: pipeline.name)
  }

  /// The results of all checks, in order.
  package func checks() -> [HealthCheck] {
    let last = LastRuns(directories)
    let checks: [HealthCheck?] = [
      programs(), linearAlgebra(), file(), exports(), duckDB(), clock(), work(), disk(last), memory(last),
      lock(),
      last.check(), last.damage(), keys(),
    ]
    return checks.compactMap(\.self) + StoreHealth(pipeline).checks()
  }

  private func programs() -> HealthCheck {
    let missing = Stage.allCases.map(\.executable).filter { !StageProcess.isThere($0) }
    guard missing.isEmpty else {
      return HealthCheck(
        "programs", .ill(.badPipelineFile),
        "\(missing.joined(separator: ", ")) missing: keep all programs of a build in one directory"
      )
    }
    return HealthCheck("programs", .well, "\(Tool.name), with all \(Stage.allCases.count) stages")
  }

  private func linearAlgebra() -> HealthCheck {
    let threads = LinearAlgebraLibrary.threads
    return HealthCheck(
      "BLAS", threads == 1 ? .well : .ill(.badPipelineFile),
      "\(LinearAlgebraLibrary.name); \(threads.counted("thread")) per worker"
        + (threads == 1 ? "" : "; it cannot be limited to one, so install Debian's libopenblas0-pthread"))
  }

  private func file() -> HealthCheck {
    HealthCheck(
      "pipeline", .well,
      "\(pipeline.name): \(pipeline.sourceNames.count.counted("source")), "
        + "\(pipeline.rankings.count.counted("ranking")), "
        + (pipeline.publication?.stores.count ?? 0).counted("store"))
  }

  private func exports() -> HealthCheck {
    let missing = ExportSizes.missing(in: pipeline)
    guard missing.isEmpty else {
      return HealthCheck(
        "exports", .ill(.storeUnavailable),
        "\(missing.prefix(3).joined(separator: ", ")) missing or unreadable: correct the path of the source, or export the file again"
      )
    }
    let files = ExportSizes.files(of: pipeline)
    let newest = files.map(\.changed).max().map { ", the newest \(HealthCheck.age(since: $0)) old" } ?? ""
    return HealthCheck(
      "exports", .well,
      "\(files.count.counted("file")), \(files.reduce(0) { $0 + $1.bytes }.asBytes)\(newest)")
  }

  /// Checks that DuckDB is installed; `nil` if no export needs it.
  private func duckDB() -> HealthCheck? {
    let formats = pipeline.sources.map(\.source.format)
    guard formats.contains(where: { $0 == .parquet || $0 == .duckdb }) else { return nil }
    do {
      return HealthCheck("DuckDB", .well, try DuckDBProgram.find())
    } catch {
      return HealthCheck("DuckDB", .ill(.storeUnavailable), "\(error)")
    }
  }

  /// Checks that runs can be created in the work directory.
  private func work() -> HealthCheck {
    var place = directories.root
    while !Directories.exists(place), Directories.parent(of: place) != place {
      place = Directories.parent(of: place)
    }
    let own = [directories.root + "/runs", directories.root + "/lock"].filter(Directories.exists)
    guard Directories.isDirectory(place) else {
      return HealthCheck(
        "work", .ill(.badPipelineFile), "\(place) is not a directory: choose another with --work")
    }
    if let closed = ([place] + own).first(where: { unsafe access($0, W_OK) != 0 }) {
      return HealthCheck(
        "work", .ill(.badPipelineFile),
        "\(closed) is not writable for this account: grant the permission, or choose another directory with --work"
      )
    }
    return HealthCheck("work", .well, directories.root)
  }

  private func clock() -> HealthCheck {
    let former = try? Manifest(of: directories.root + "/latest/" + Stage.ingest.directory)
    if let former, !pipeline.hasGivenAsOf, let wrong = ClockWentBack(now, after: former) {
      return HealthCheck("clock", .ill(.storeUnavailable), "\(wrong)")
    }
    let newest = ExportSizes.files(of: pipeline).map(\.changed).max()
    guard let newest, newest > Double(now.milliseconds) / 1_000 + Self.skew else {
      return HealthCheck("clock", .well, "\(now)")
    }
    return HealthCheck(
      "clock", .note,
      "\(now), and the newest export was written at \(Instant(milliseconds: Int64(min(newest, Self.lastMoment) * 1_000))): is it right?"
    )
  }

  /// The time in seconds by which the clock that dated an export may be ahead of this machine's.
  private static let skew: Double = 3_600

  /// The end of the year 9999, because the date of a file may be any number.
  private static let lastMoment: Double = 253_402_300_799

  private func disk(_ last: LastRuns) -> HealthCheck {
    guard let free = SpaceCheck.free(directories.root) else {
      return HealthCheck(
        "disk", .note, "the system does not report the free space at \(directories.root)")
    }
    guard let need = last.bytes else {
      return HealthCheck("disk", .well, "\(free.asBytes) free at \(directories.root)")
    }
    let text = "\(free.asBytes) free at \(directories.root); the last complete run took \(need.asBytes)"
    return need > free
      ? HealthCheck("disk", .ill(.storeUnavailable), text + ": free some space, or lower 'keep_runs'")
      : HealthCheck("disk", .well, text)
  }

  private func memory(_ last: LastRuns) -> HealthCheck {
    let whole = Int(clamping: ProcessInfo.processInfo.physicalMemory)
    guard let peak = last.peakMemory else {
      return HealthCheck("memory", .well, "\(whole.asBytes); no run has measured its memory yet")
    }
    let text = "\(whole.asBytes); the largest stage of the last complete run took \(peak.asBytes)"
    return Double(peak) > 0.9 * Double(whole)
      ? HealthCheck("memory", .note, text + ": the next run may run out of memory")
      : HealthCheck("memory", .well, text)
  }

  private func lock() -> HealthCheck {
    guard let holder = RunLock.holder(of: directories.root) else {
      return HealthCheck("lock", .well, "free")
    }
    return HealthCheck(
      "lock", .note,
      "\(holder.isEmpty ? "another process" : holder) holds the lock: a run would end with status 75")
  }

  /// Checks the files with secrets, which other users must not be able to read.
  private func keys() -> HealthCheck {
    do {
      _ = try pipeline.tombstones(beside: directories).load()
    } catch {
      return HealthCheck("keys", .ill(.badPipelineFile), "\(error)")
    }
    if let path = environment["NIGHTJAR_REDIS_PASSWORD_FILE"], let mode = Self.mode(path), mode & 0o077 != 0,
      pipeline.publication?.stores.contains(where: { $0.hasPrefix("redis") }) == true
    {
      return HealthCheck(
        "keys", .ill(.badPipelineFile),
        "\(path) has mode 0\(String(mode, radix: 8)), so other accounts can read its password: run chmod 600")
    }
    let passwords = environment["PGPASSFILE"] ?? environment["HOME"].map { $0 + "/.pgpass" }
    if let path = passwords, let mode = Self.mode(path), mode & 0o077 != 0,
      pipeline.publication?.stores.contains(where: { $0.hasPrefix("postgres") }) == true
    {
      return HealthCheck(
        "keys", .ill(.badPipelineFile),
        "\(path) has mode 0\(String(mode, radix: 8)), so libpq ignores it: run chmod 600")
    }
    return HealthCheck("keys", .well, "other accounts cannot read the files with secrets")
  }

  private static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }
}
