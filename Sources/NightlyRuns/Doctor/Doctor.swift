internal import CommandLine
internal import DuckDB
internal import Files
internal import Foundation
internal import Glibc
internal import Ingest
internal import LeastSquares
package import PipelineFile
internal import Publishing
internal import Readers
internal import RunSchemas
internal import System
package import Text
internal import Tombstones

/// Checks whether a run would succeed on this machine, without changing anything.
package struct Doctor {
  private let pipeline: Pipeline
  private let directories: RunDirectories
  private let evaluates: Bool
  private let environment: [String: String]
  private let now: Instant

  /// Creates a doctor for one pipeline.
  ///
  /// - Parameters:
  ///   - pipeline: The effective pipeline file, already validated.
  ///   - work: The directory with the runs of all pipelines.
  ///   - now: The current time of the machine's clock.
  ///   - evaluates: Whether the run would evaluate its lists.
  ///   - environment: The environment of the run.
  package init(
    _ pipeline: Pipeline, work: String, now: Instant, evaluates: Bool = false,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.now = now
    self.pipeline = pipeline
    self.evaluates = evaluates
    self.environment = environment
    directories = RunDirectories(work: work, pipeline: pipeline.name)
  }

  /// Returns the results of all checks, in the order in which a run performs them. A run would therefore end
  /// with the status of the first failed check.
  package func checks() -> [HealthCheck] {
    let last = LastRuns(directories, pipelineFile: pipeline.file, overrides: pipeline.overrides)
    let addresses = StoreHealth(pipeline, now: now)
    let first: [HealthCheck?] = [file(), evaluation()]
    let runs = WorkHealth(directories, keepRuns: pipeline.keepRuns)
    let beforeStores: [HealthCheck?] = [
      runs.check(), lock(), runs.oldRuns(), program(), disk(last), keys(), clock(),
      ExportHealth(pipeline, directories, now: now).check(), duckDB(), linearAlgebra(),
    ]
    let remarks: [HealthCheck?] = [runs.surplusRuns(), last.damage(), memory(last), last.check()]
    return first.compactMap(\.self) + addresses.flaws() + beforeStores.compactMap(\.self)
      + addresses.checks() + remarks.compactMap(\.self)
  }

  private func program() -> HealthCheck { HealthCheck("program", .well, Tool.name) }

  /// Checks that a run with an evaluation has lists to evaluate. For a run without an evaluation, the check
  /// fails if the pipeline file limits the quality of the lists. Otherwise, the result is `nil`.
  private func evaluation() -> HealthCheck? {
    guard evaluates else {
      guard let limits = pipeline.publication?.quality, !limits.stated.isEmpty else { return nil }
      return HealthCheck("evaluation", MissingEvaluation(limits: limits).failure)
    }
    do throws(NothingToEvaluate) {
      let rankings = try pipeline.judgeable().rankings
      return HealthCheck(
        "evaluation", .well, "a run with --evaluate evaluates \(rankings.map(\.name).joined(separator: ", "))"
      )
    } catch {
      return HealthCheck("evaluation", error)
    }
  }

  private func linearAlgebra() -> HealthCheck {
    do throws(MissingLibrary) {
      let threads = try LinearAlgebraLibrary.threads()
      return HealthCheck(
        "BLAS", threads == 1 ? .well : .note,
        "\(try LinearAlgebraLibrary.name()); \(threads.counted("thread")) per worker"
          + (threads == 1
            ? ""
            : "; this library ignores the limit of one thread; install the Debian package libopenblas0-pthread")
      )
    } catch {
      return HealthCheck("BLAS", error)
    }
  }

  private func file() -> HealthCheck {
    do {
      _ = try pipeline.reportAccess()
    } catch {
      return HealthCheck("pipeline", error)
    }
    return HealthCheck(
      "pipeline", .well,
      "\(pipeline.name): \(pipeline.sourceNames.count.counted("source")), "
        + "\(pipeline.rankings.count.counted("ranking")), "
        + (pipeline.publication?.stores.count ?? 0).counted("store"))
  }

  /// Checks that DuckDB is installed. Returns `nil` if no export needs DuckDB.
  private func duckDB() -> HealthCheck? {
    let formats = pipeline.sources.map(\.source.format)
    guard formats.contains(where: { $0 == .parquet || $0 == .duckdb }) else { return nil }
    do {
      return HealthCheck("DuckDB", .well, try DuckDBProgram.find())
    } catch {
      return HealthCheck("DuckDB", error)
    }
  }

  private func clock() -> HealthCheck {
    let former = try? Manifest(of: directories.root + "/latest/" + Stage.ingest.directory)
    if let former, !pipeline.hasGivenAsOf, let wrong = ClockWentBack(now, after: former) {
      return HealthCheck("clock", wrong)
    }
    let newest = ExportSizes.files(of: pipeline).map(\.changed).max()
    guard let newest, newest > Double(now.milliseconds) / 1_000 + Self.skew else {
      return HealthCheck("clock", .well, "\(now)")
    }
    return HealthCheck(
      "clock", .note,
      "the clock shows \(now), but the newest export was written later, at \(Instant(milliseconds: Int64(min(newest, Self.lastMoment) * 1_000))); check the clock"
    )
  }

  /// The maximum lead of the newest export over the clock, in seconds. A larger lead is reported as a note.
  private static let skew: Double = 3_600

  /// The end of the year 9999, in seconds since 1970. The note shows at most this time, because the
  /// modification time of a file can be any number.
  private static let lastMoment: Double = 253_402_300_799

  private func disk(_ last: LastRuns) -> HealthCheck {
    do throws(FileError) {
      try SpaceCheck(pipeline: pipeline, directories: directories, directory: directories.root).check(.ingest)
    } catch {
      return HealthCheck("disk", error)
    }
    guard let free = SpaceCheck.free(directories.root) else {
      return HealthCheck(
        "disk", .note,
        "the system does not report the free space at \(directories.root); check it by hand")
    }
    guard let need = last.bytes else {
      return HealthCheck("disk", .well, "\(free.asBytes) free at \(directories.root)")
    }
    let text = "\(free.asBytes) free at \(directories.root); the last complete run used \(need.asBytes)"
    return need > free
      ? HealthCheck("disk", .ill(.ioError), text + "; free some space, or lower 'keep_runs'")
      : HealthCheck("disk", .well, text)
  }

  private func memory(_ last: LastRuns) -> HealthCheck {
    let whole = Int(clamping: ProcessInfo.processInfo.physicalMemory)
    guard let peak = last.peakMemory else {
      return HealthCheck(
        "memory", .well,
        "\(whole.asBytes); the memory use of a run is unknown until a run is complete")
    }
    let text = "\(whole.asBytes); the largest stage of the last complete run used \(peak.asBytes)"
    return Double(peak) > 0.9 * Double(whole)
      ? HealthCheck("memory", .note, text + "; add memory, because the next run may need more")
      : HealthCheck("memory", .well, text)
  }

  private func lock() -> HealthCheck {
    guard let holder = RunLock.holder(of: directories.root) else {
      return HealthCheck("lock", .well, "free")
    }
    return HealthCheck(
      "lock", .ill(.tryAgain),
      "\(holder.isEmpty ? "another process" : holder) holds the lock; try again when it has finished")
  }

  /// Checks the files with secrets, which other users must not be able to read.
  private func keys() -> HealthCheck {
    // The names of the files that were checked.
    var closed: [String] = []
    do {
      if try !pipeline.tombstones(beside: directories).load().isEmpty { closed.append("the tombstone key") }
    } catch {
      return HealthCheck("keys", error)
    }
    let usesPostgreSQL = pipeline.publication?.stores.contains { $0.hasPrefix("postgres") } == true
    let passwords = environment["PGPASSFILE"] ?? environment["HOME"].map { $0 + "/.pgpass" }
    if usesPostgreSQL, let path = passwords, let mode = Self.mode(path) {
      guard mode & 0o077 == 0 else {
        return HealthCheck(
          "keys", .note,
          "\(path) has mode 0\(String(mode, radix: 8)), so libpq ignores it; run: chmod 600 '\(path)'")
      }
      closed.append("the password file of libpq")
    }
    return HealthCheck(
      "keys", .well,
      closed.isEmpty
        ? "nothing to check: no tombstones, and no password file for a PostgreSQL store"
        : "no other account can read \(closed.joined(separator: " or "))")
  }

  private static func mode(_ path: String) -> mode_t? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : nil
  }
}
