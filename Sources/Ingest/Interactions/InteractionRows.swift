package import PipelineFile
internal import Readers
internal import Tombstones

/// The rows of one kind of interaction, read and checked, with the ranks of both ids.
package struct InteractionRows: Sendable {
  package let interaction: Pipeline.Interaction
  /// The interactions, in the order of the files.
  package private(set) var rows: InteractionColumns
  /// The place of each row; empty unless an expectation may report places.
  private(set) var places: [RowPlace] = []
  var counts = IngestCounts()
  private(set) var rejects = RejectLog()
  private(set) var reading = SourceReading()

  /// Reads the files of `interaction`'s source.
  ///
  /// - Throws: `ExportError`, `DuckDBError`.
  init(
    _ interaction: Pipeline.Interaction, in pipeline: Pipeline, entities: [String: EntityRows],
    tombstones: TombstoneSet, by workers: Workers
  ) throws {
    guard let users = entities[interaction.user.entity]?.ids,
      let named = entities[interaction.candidate.named]
    else { preconditionFailure("'\(interaction.name)' refers to an entity that was not read") }
    self.interaction = interaction
    let candidates = named.ids
    let reference = interaction.candidate
    let rows = InteractionColumns(users: users.count, values: interaction.value.knownValues)
    self.rows = rows
    let expected = interaction.expectations
    let keepsPlaces = !expected.unique.isEmpty || !expected.ranges.isEmpty
    let parser = InteractionParser(
      interaction, coded: rows.distinctValues, owners: reference.of.map { _ in named.ownersByRank })
    let filter = RowFilter(interaction.source, in: pipeline, behind: parser.names)
    let request = filter.extending(
      ExportRequest(source: interaction.source, directory: pipeline.directory, fields: parser.names))
    let files = try SourceReading.files(of: interaction.source, in: pipeline)
    for file in files { rejects.open(file.shown) }
    let spares = SpareArrays<ReadInteraction>(most: 1 << 18)
    var reading = SourceReading()
    try reading.read(files, request, by: workers) { block in
      var part = InteractionBlock(
        parser, users: users, candidates: candidates, buckets: rows.buckets, keepsPlaces: keepsPlaces,
        keepsItems: reference.isOnce, tombstones: tombstones, spares: spares)
      let (summary, leftOut) = try filter.forEachRecord(of: block, rows: { part.add($0, by: parser) }) {
        part.add($0, by: parser)
      }
      return ((part.finish(by: parser), leftOut), summary)
    } merge: { file, read in
      let part = read.0
      counts.read += part.read
      if parser.ignoresRows { counts.ignored = (counts.ignored ?? 0) + part.ignored }
      counts.erased += part.erased
      counts.add(read.1, of: interaction.source)
      rejects.add(part.rejects, file: file)
      self.rows.append(part.rows)
      places += part.places.map { RowPlace(file: file, unit: $0.unit, number: $0.number) }
    }
    if reference.isOnce { mergeRepetitions() }
    _ = try reading.absentFields(
      required: filter.required(parser.required, read: counts.read), of: interaction.source)
    try reading.checkLastRows(rejects, of: interaction.source)
    counts.unended = reading.unended
    self.reading = reading
    counts.rules = rejects.counts
    counts.written = rejects.countsWritten
  }

  /// Keeps only each user's first interaction with each item.
  private mutating func mergeRepetitions() {
    let isKept = rows.keepFirstOfEachItem()
    counts.replaced += isKept.count { !$0 }
    if !places.isEmpty { places = zip(places, isKept).filter(\.1).map(\.0) }
  }

  mutating func takeRows() -> InteractionColumns {
    let taken = rows
    rows = InteractionColumns()
    return taken
  }
}
