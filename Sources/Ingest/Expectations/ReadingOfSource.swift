internal import PipelineFile

/// A source that was read, with the data that expectations need.
struct ReadingOfSource {
  let name: String
  let source: Pipeline.Source
  let expectations: Pipeline.Expectations
  let counts: IngestCounts
  let reading: SourceReading
  /// The kept rows; `nil` for entities that could not be read. This property is a closure, because finding
  /// the kept rows takes time, and most sources have no expectations.
  let rows: () -> CheckedRows?

  /// Whether the pipeline file allows an empty export.
  var acceptsEmptiness: Bool { expectations.atLeast == 0 || source.allowsIncomplete }
}

extension IngestedExports {
  /// The sources that were read, in the pipeline's order.
  var readings: [ReadingOfSource] {
    pipeline.entities.compactMap { entity in
      entities[entity.name].map { read in
        ReadingOfSource(
          name: entity.name, source: entity.source, expectations: entity.expectations, counts: read.counts,
          reading: read.reading
        ) { CheckedRows(entities: entity.name, in: self) }
      }
    }
      + checkIns.map { read in
        ReadingOfSource(
          name: read.checkIns.name, source: read.checkIns.source, expectations: read.checkIns.expectations,
          counts: read.counts, reading: read.reading
        ) { CheckedRows(read, in: self) }
      }
      + interactions.map { read in
        ReadingOfSource(
          name: read.interaction.name, source: read.interaction.source,
          expectations: read.interaction.expectations, counts: read.counts, reading: read.reading
        ) { CheckedRows(read, in: self) }
      }
      + requests.map { read in
        ReadingOfSource(
          name: read.requests.name, source: read.requests.source, expectations: read.requests.expectations,
          counts: read.counts, reading: read.reading
        ) { CheckedRows(read) }
      }
  }
}
