internal import Files
internal import PipelineFile
internal import Text

/// The time of the newest row of each source, from the snapshot's manifest.
struct NewestRows {
  /// The time of the newest row of each source with times, in the order of the pipeline file.
  let sources: [(name: String, at: Instant)]
  /// The time of the newest interaction of any kind; `nil` if there are no interactions.
  let interaction: Instant?

  init(_ snapshot: Manifest, _ pipeline: Pipeline) {
    sources = pipeline.sourceNames.compactMap { name in
      let newest = snapshot.counts["sources"]?[name]?["newest"]?["milliseconds"]?.integerValue
      return newest.map { (name, Instant(milliseconds: Int64($0))) }
    }
    interaction = sources.filter { pipeline.interaction($0.name) != nil }.map(\.at).max()
  }

  /// The time of the newest row of any source; `nil` if no source has rows with times.
  var row: Instant? { sources.map(\.at).max() }
}
