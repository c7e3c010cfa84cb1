internal import Columns
internal import DuckDB
package import Files
internal import Glibc
package import PipelineFile
internal import RunSchemas
internal import Text

/// Exports a complete run as Parquet files, for use with data frames or SQL.
///
/// The module `Parquet` converts finished runs with DuckDB. It only reads a run's files, so an export cannot
/// change a run. No stage depends on it, and it must not depend on `Models` or `ServingStore`.
///
/// ```
/// DIR/snapshot/<entity>.parquet         id, latitude, longitude, created, owner_id, attributes
/// DIR/snapshot/<interaction>.parquet    user_id, candidate_id, at, value
/// DIR/models.parquet                    user_id, column, coefficient, standard_error, learning_mean, figures
///                                       of the model (for a named model: DIR/models/<model>.parquet)
/// DIR/rankings/<list>.parquet           user_id, word (with `per`), rank, candidate_id, score, distance_km
/// DIR/rankings/<catalog>.parquet        key, rank, candidate_id
/// DIR/rankings/<matches>.parquet        user_id, other_user_id, matched_at
/// DIR/manifest.json
/// ```
///
/// Missing values are NULL, times are TIMESTAMPTZ in UTC, and rows have the order of the run's own files.
package enum ParquetExport {
  package static let name = "parquet"

  /// Writes the run in the directory `run` to the new directory `directory`, which appears only when it is
  /// complete.
  ///
  /// - Parameters:
  ///   - run: A run directory with the outputs of all stages. Only the output of publish may be missing.
  ///   - pipeline: The effective pipeline file; models and columns must match it.
  ///   - directory: The directory to create. Missing parent directories are created.
  ///   - force: Whether to replace an earlier export in `directory`. The replacement is atomic.
  ///   - number: The number of the run, for the manifest; `nil` for a run without a number.
  ///   - threads: The maximum number of DuckDB's threads.
  ///   - tool: The name and version of this program, for the manifest.
  /// - Returns: The manifest. Its outputs include their numbers of rows.
  /// - Throws: `DuckDBError`; `FileError`. The operation of a `FileError` is `find` if the run belongs to
  ///   another pipeline. It is `create` if `directory` exists without `force` or contains other files, or if
  ///   an entity and an interaction have the same name.
  package static func write(
    _ run: String, of pipeline: Pipeline, to directory: String, force: Bool, number: Int?, threads: Int,
    tool: String
  ) throws -> Manifest {
    // The path is resolved once, because the link `latest` may change during the export.
    let run = Directories.resolved(run)
    let ranked = try Manifest(of: run + "/rankings")
    guard ranked.pipeline == pipeline.name else {
      throw FileError(
        .find, run, reason: "it is a run of the pipeline '\(ranked.pipeline)', not of '\(pipeline.name)'",
        advice: "Pass a run of '\(pipeline.name)', or the pipeline file of '\(ranked.pipeline)'.")
    }
    let parents = try Manifest.parents(
      ["snapshot", "index"] + (pipeline.models.isEmpty ? [] : ["models"]) + ["rankings"], in: run)
    let snapshot = try Snapshot(
      run + "/snapshot", entities: pipeline.entities.map(\.schema),
      interactions: pipeline.interactions.map(\.schema), requests: pipeline.requests.map(\.schema))
    _ = try DuckDBProgram.find()
    var output = try open(directory, force: force)
    try write(snapshot, pipeline, run: run, threads: threads, to: &output)
    for model in pipeline.models {
      let models = try ModelRows(model, pipeline, snapshot, run: run, threads: threads)
      try output.adopt(model.directory(in: "models") + ".parquet", models.write)
    }
    let rankings = RankingTables(snapshot: snapshot, rankings: run + "/rankings", threads: threads)
    for ranking in pipeline.rankings {
      try output.adopt("rankings/\(ranking.name).parquet") { try rankings.write(ranking, to: $0) }
    }
    for list in pipeline.catalogs {
      try output.adopt("rankings/\(list.name).parquet") { try rankings.write(list, to: $0) }
    }
    for list in pipeline.matches {
      try output.adopt("rankings/\(list.name).parquet") { try rankings.write(list, of: pipeline, to: $0) }
    }
    return try output.complete(
      Manifest(
        tool: tool, stage: name, pipeline: ranked.pipeline, configuration: ranked.configuration,
        asOf: ranked.asOf, seed: ranked.seed,
        counts: number.map { ["run": .integer($0)] } ?? [:], parents: parents))
  }

  private static func write(
    _ snapshot: Snapshot, _ pipeline: Pipeline, run: String, threads: Int, to output: inout StageDirectory
  ) throws {
    let tables = SnapshotTables(snapshot: snapshot, threads: threads)
    for entity in pipeline.entities {
      guard pipeline.interaction(entity.name) == nil else {
        throw FileError(
          .create, "snapshot/\(entity.name).parquet",
          reason: "an entity and an interaction have the same name, '\(entity.name)'",
          advice: "Rename one of them and run the pipeline again.")
      }
      let created =
        try entity.created.map { _ in
          try Column<Int64>("\(run)/snapshot/entities/\(entity.name)/created.npy")
        }
      try output.adopt("snapshot/\(entity.name).parquet") { try tables.write(entity, created, to: $0) }
    }
    for kind in pipeline.interactions {
      try output.adopt("snapshot/\(kind.name).parquet") { try tables.write(kind, to: $0) }
    }
  }

  /// Creates the hidden directory for an export to `directory`. Its name contains the process id, because
  /// exports take no lock and may run at the same time.
  private static func open(_ directory: String, force: Bool) throws(FileError) -> StageDirectory {
    let path = Directories.resolved(directory)
    let parent = Directories.parent(of: path)
    let name = String(path.dropFirst(parent == "/" ? 1 : parent.count + 1))
    guard !name.isEmpty else {
      throw FileError(
        .create, directory, reason: "the name of the directory is empty",
        advice: "Choose another directory.")
    }
    if Directories.exists(path) {
      guard force else {
        throw FileError(
          .create, directory, reason: "it already exists", advice: "To replace it, add --force.")
      }
      let isEmpty = try Directories.names(in: path).isEmpty
      guard isEmpty || (try? Manifest(of: path).stage) == Self.name else {
        throw FileError(
          .create, directory, reason: "it contains other files, and --force replaces only an earlier export",
          advice: "Choose another directory.")
      }
    }
    try removeLeftovers(of: name, in: parent)
    return try StageDirectory(name, in: parent, hidden: ".\(name).\(getpid()).partial", replaces: force)
  }

  /// Removes the hidden directories of exports whose process was killed.
  private static func removeLeftovers(of name: String, in parent: String) throws(FileError) {
    guard Directories.exists(parent) else { return }
    for hidden in try Directories.names(in: parent)
    where hidden.hasPrefix(".\(name).") && hidden.hasSuffix(".partial") {
      guard let process = pid_t(hidden.dropFirst(name.count + 2).dropLast(8)), process > 0,
        kill(process, 0) != 0, errno == ESRCH
      else { continue }
      try Directories.remove(parent + "/" + hidden)
    }
  }
}
