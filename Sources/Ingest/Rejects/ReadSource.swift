package import PipelineFile

/// One source after reading, with the outcome of each row.
package struct ReadSource: Sendable {
  package var name: String
  package var source: Pipeline.Source
  package var counts: IngestCounts
  package var rejects: RejectLog
}
