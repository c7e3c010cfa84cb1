package import PipelineFile
package import Tables

/// Makes the snapshot of a run from the exports.
package enum IngestStage {
  package static let name = "snapshot"

  /// Reads, checks and writes everything that the pipeline file names.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline file in force.
  ///   - run: The run directory.
  ///   - given: What `--as-of` said, or `nil` for the newest interaction.
  ///   - clock: The machine's clock: interactions after it do not decide the as-of time.
  ///   - tool: Name and version for the manifest.
  /// - Returns: The manifest; its counts hold, by source, `read`, `kept`, `rejected` by rule, `merged`, `later`.
  /// - Throws: `ExportError`, `FileError`; `RejectLimitExceeded`, having written `rejects.csv` into the run
  ///   directory, where no snapshot stands then.
  package static func run(
    _ pipeline: Pipeline, in run: String, asOf given: Instant?, clock: Instant, tool: String
  ) throws -> Manifest {
    let stamps = stamps(pipeline)
    var entities: [String: EntityRows] = [:]
    for entity in pipeline.entities { entities[entity.name] = try EntityRows(entity, in: pipeline) }
    var interactions: [InteractionRows] = []
    for kind in pipeline.interactions {
      interactions.append(try InteractionRows(kind, in: pipeline, entities: entities))
    }
    let logs = pipeline.entities.compactMap { entities[$0.name]?.rejects } + interactions.map(\.rejects)
    let rejects = csv(logs)
    try checkLimit(pipeline, entities, interactions, rejects, run: run)

    let asOf = AsOf(given: given, interactions: interactions, clock: clock)
    var writer = SnapshotWriter(asOf: asOf.instant, directory: try StageDirectory(name, in: run))
    var counts: [String: JSONValue] = [:]
    var rows: [String: Int] = [:]
    for entity in pipeline.entities {
      guard var read = entities[entity.name] else { continue }
      try writer.write(&read)
      counts[entity.name] = checked(read.counts, entity.name).json
      rows[entity.source.paths[0]] = read.counts.read
    }
    for var read in interactions {
      try writer.write(&read)
      counts[read.interaction.name] = checked(read.counts, read.interaction.name).json
      rows[read.interaction.source.paths[0]] = read.counts.read
    }
    try writer.directory.write("rejects.csv", rows: logs.reduce(0) { $0 + $1.rejects.count }) {
      (writer) throws(FileError) in try writer.append(rejects)
    }
    let inputs = try inputs(pipeline, rows)
    // Rows and digests were taken one after the other: they are of one version, or of none.
    try ExportStamp.check(stamps)
    let manifest = Manifest(
      tool: tool, stage: name, pipeline: pipeline.name, configuration: pipeline.configuration,
      asOf: asOf.instant, seed: pipeline.seed, inputs: inputs,
      counts: [
        "sources": .object(counts), "as_of_from": .string(asOf.origin.rawValue),
        "snapped_to_precision": .integer(pipeline.privacy.snapPrecision),
      ])
    return try writer.finish(manifest)
  }

  private static func csv(_ logs: [RejectLog]) -> [UInt8] {
    var text = CSVText()
    text.append(row: RejectLog.header)
    for log in logs { log.write(to: &text) }
    return text.bytes
  }

  private static func checked(_ counts: SourceCounts, _ source: String) -> SourceCounts {
    precondition(counts.isBalanced, "rows of '\(source)' were lost: \(counts)")
    return counts
  }

  private static func checkLimit(
    _ pipeline: Pipeline, _ entities: [String: EntityRows], _ interactions: [InteractionRows],
    _ rejects: [UInt8], run: String
  ) throws {
    let sources =
      pipeline.entities.compactMap { entity in
        entities[entity.name].map { (entity.name, entity.source.paths[0], $0.counts) }
      } + interactions.map { ($0.interaction.name, $0.interaction.source.paths[0], $0.counts) }
    for (name, path, counts) in sources
    where counts.rejected > 0 && Double(counts.rejected) / Double(counts.read) > pipeline.rejectLimit {
      // A quotient: 29 of 100 is 0.29, while 0.29 * 100 is less than 29.
      let file = run + "/rejects.csv"
      try Directories.create(run)
      try Directories.replace(file, with: rejects)
      let rules = counts.rules.filter { $0.key != .duplicateID }.map { ($0.key.rawValue, $0.value) }
      throw RejectLimitExceeded(
        source: name, file: path, read: counts.read, limit: pipeline.rejectLimit,
        rejected: Dictionary(uniqueKeysWithValues: rules), rejectsFile: file)
    }
  }

  private static func stamps(_ pipeline: Pipeline) -> [String: ExportStamp] {
    let sources = pipeline.entities.map(\.source.paths[0]) + pipeline.interactions.map(\.source.paths[0])
    let stamped = Set(sources.map(pipeline.resolve)).compactMap { path in ExportStamp(path).map { (path, $0) }
    }
    return Dictionary(uniqueKeysWithValues: stamped)
  }

  /// Every export once, in the order of paths, with the rows that were read from it.
  private static func inputs(_ pipeline: Pipeline, _ rows: [String: Int]) throws(FileError) -> [FileDigest] {
    var digests: [FileDigest] = []
    for path in rows.keys.sorted() {
      let file = try MappedFile(pipeline.resolve(path))
      var hash = SHA256()
      hash.update(file.bytes)
      digests.append(FileDigest(path: path, bytes: file.count, sha256: hash.finish(), rows: rows[path]))
    }
    return digests
  }
}

extension SnapshotWriter {
  /// Completes the snapshot.
  consuming func finish(_ manifest: Manifest) throws(FileError) -> Manifest {
    try directory.complete(manifest)
  }
}
