internal import Columns
package import Files
internal import Ingest
package import PipelineFile
package import Readers
package import RunSchemas
package import TestSupport
package import Text

/// One run of ingest over small exports that a test lists.
package struct Night {
  package let scratch: ScratchDirectory
  package let pipeline: Pipeline
  package let manifest: Manifest

  /// All tests use this clock: 2026-01-01T00:00:00Z.
  package static let clock = Instant(milliseconds: 1_767_225_600_000)

  /// Returns a pipeline file with `people`, who have a position and attributes, and `likes` between
  /// them.
  package static func yaml(
    people: ExportFormat = .csv, likes: ExportFormat = .csv, limit: String = "1", precision: Int = 12,
    extra: String = ""
  ) -> String {
    """
    pipeline: p
    as_of: newest
    plausible: [1, 9999]
    later_limit: 1
    reject_limit: \(limit)
    dangling_limit: 1
    privacy: { snap_positions_to: \(precision) }
    entities:
      people:
        source: { path: people.\(people.rawValue), format: \(people.rawValue) }
        id: id
        created: created
        updated: updated
        position: { latitude: lat, longitude: lon }
        attributes:
          field: { type: category }
          age: { type: number }
          gone: { type: flag }
          bio: { type: text }
    interactions:
      likes:
        source: { path: likes.\(likes.rawValue), format: \(likes.rawValue) }
        user: a
        candidate: b
        at: t
        value: { from: v, map: { yes: 1, no: -1 } }
    \(extra)
    """
  }

  package static let peopleHeader = "id,created,updated,lat,lon,field,age,gone,bio\n"
  package static let likesHeader = "a,b,t,v\n"

  package init(
    _ yaml: String = Self.yaml(), _ files: [String: String], asOf: Instant? = nil, clock: Instant = Self.clock
  ) throws {
    scratch = try ScratchDirectory()
    for (name, text) in files { try scratch.write(text, to: name) }
    pipeline = try Pipeline(yaml: yaml, file: scratch("p.yaml"))
    manifest = try IngestStage.run(pipeline, in: scratch("run"), asOf: asOf, clock: clock, tool: "test")
  }

  /// Ingests CSV rows. The headers are added.
  package init(
    people: String, likes: String = "", limit: String = "1", precision: Int = 12, asOf: Instant? = nil
  )
    throws
  {
    try self.init(
      Self.yaml(limit: limit, precision: precision),
      ["people.csv": Self.peopleHeader + people, "likes.csv": Self.likesHeader + likes], asOf: asOf)
  }

  /// The error for a result of ingest that a test does not expect.
  package struct Unexpected: Error {
    package var found: String
  }

  /// The rows of `rejects.csv` without its header.
  package func rejects() throws -> [[String]] {
    let rows = plainCSVText(try scratch.bytes("run/snapshot/rejects.csv"))
    guard rows.first == ["file", "unit", "number", "field", "rule", "value"] else {
      throw Unexpected(found: "rejects.csv begins with \(rows.first ?? [])")
    }
    return Array(rows.dropFirst())
  }

  package func snapshot() throws -> Snapshot {
    try Snapshot(
      scratch("run/snapshot"), entities: pipeline.entities.map(\.schema),
      interactions: pipeline.interactions.map(\.schema))
  }

  package func counts(_ source: String) -> JSONValue? { manifest.counts["sources"]?[source] }

  /// The counts `[read, kept, rejected, merged, later]` of a source.
  package func accounts(_ source: String) -> [Int] {
    guard let counts = counts(source) else { return [] }
    return [
      counts["read"]?.integerValue ?? -1, counts["kept"]?.integerValue ?? -1,
      RuleOutcome.allCases.reduce(0) { $0 + (counts[$1.rawValue]?.total ?? -9) },
      counts["merged"]?.integerValue ?? -1, counts["later"]?.integerValue ?? -1,
    ]
  }

  /// Whether the counts of every source add up to the rows that were read.
  package var isBalanced: Bool {
    (pipeline.entities.map(\.name) + pipeline.interactions.map(\.name)).allSatisfy { name in
      let accounts = accounts(name)
      return accounts.first == accounts.dropFirst().reduce(0, +)
    }
  }

  /// The ids of the kept rows of `entity`, in the order of the table.
  package func ids(_ entity: String = "people") throws -> [String] {
    guard let table = try snapshot().entities[entity] else {
      throw Unexpected(found: "the snapshot has no '\(entity)'")
    }
    return table.ids.strings
  }

  /// Returns the column files in the snapshot of `run` by name, without earlier versions.
  package func columns(_ run: String) throws -> [String: [UInt8]] {
    let folders = ["entities", "interactions", "requests"].map { "\(run)/snapshot/\($0)/" }
    let files = scratch.files.filter { file in
      folders.contains { file.hasPrefix($0) } && !file.contains("/earlier/")
    }
    return try Dictionary(
      uniqueKeysWithValues: files.map { (String($0.dropFirst(run.count)), try scratch.bytes($0)) })
  }
}
