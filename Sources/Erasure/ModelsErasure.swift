internal import Features
internal import Files
internal import PipelineFile
internal import RunSchemas
internal import SnapshotEditing

/// Removes people from the models of a run: their own models, and the columns named after words that only
/// they had.
///
/// The models of other people stay. The population's parameters also stay, because they are sums over many
/// people.
struct ModelsErasure {
  let pipeline: Pipeline
  let former: Snapshot
  let snapshot: SnapshotErasure
  /// The lost words, including the names of removed columns.
  private(set) var lost: LostWords
  /// The number of removed models.
  private(set) var removed = 0

  init(_ pipeline: Pipeline, former: Snapshot, snapshot: SnapshotErasure, lost: LostWords) {
    (self.pipeline, self.former, self.snapshot, self.lost) = (pipeline, former, snapshot, lost)
  }

  /// Writes the stage directory `models` of `run` from `source`, the models of the old run. The new snapshot
  /// and index must be in `run` already.
  mutating func write(from source: String, into run: String) throws(FileError) {
    var manifest = try Manifest(of: source)
    var directory = try StageDirectory("models", in: run)
    for model in pipeline.models { try write(model, from: source, of: run, to: &directory) }
    manifest.counts = manifest.counts.without(lost).adding(erased: ["models": removed])
    manifest.parents = try manifest.parents(in: run)
    _ = try directory.complete(manifest)
  }

  private mutating func write(
    _ model: Pipeline.Model, from source: String, of run: String, to directory: inout StageDirectory
  ) throws(FileError) {
    guard let kind = pipeline.interaction(model.learnsFrom) else { return }
    let now = try Snapshot(
      run + "/snapshot", entities: pipeline.entities.map(\.schema),
      interactions: pipeline.interactions.map(\.schema))
    let form = try LearnedForm(of: model, in: source)
    let (old, new) = (
      FeatureSpace(model, pipeline, former, form: form), FeatureSpace(model, pipeline, now, form: form)
    )
    let rows = snapshot.rows[kind.user.entity] ?? []
    let places = Self.oldColumns(of: new, in: old)
    let kept = Set(places.compactMap(\.self))
    lost.columns += old.columns.indices.filter { !kept.contains($0) }.map { Array(old.columns[$0].utf8) }
    try ModelTable.write(
      from: model.directory(in: source), keepsUser: { rows[$0] != CutSnapshot.noRow },
      columns: new.columns, oldColumns: places, to: &directory, in: model.name.map { $0 + "/" } ?? "")
    removed += rows.count { $0 == CutSnapshot.noRow }
  }

  /// For each column of `new`, the matching column of `old`; `nil` if there is none.
  ///
  /// Columns of words match by name. Removing people may move the edges of bins and thus change the names of
  /// bins. Bins therefore match by position if their number is unchanged.
  private static func oldColumns(of new: FeatureSpace, in old: FeatureSpace) -> [Int?] {
    var places = [Int?](repeating: nil, count: new.columns.count)
    for (feature, former) in zip(new.features, old.features) {
      let names = Dictionary(
        former.columns.map { (Array(old.columns[$0].utf8), $0) }, uniquingKeysWith: { first, _ in first })
      let isWhole = feature.width == former.width
      for column in feature.columns {
        places[column] =
          names[Array(new.columns[column].utf8)]
          ?? (isWhole ? former.firstColumn + column - feature.firstColumn : nil)
      }
    }
    return places
  }
}

extension Manifest {
  /// Returns the digests of the manifests of the stage's inputs, computed again for `run`. An input that
  /// `run` does not contain keeps its digest.
  func parents(in run: String) throws(FileError) -> [String: String] {
    var digests = parents
    for name in parents.keys where Directories.exists("\(run)/\(name)") {
      digests[name] = try Manifest(of: "\(run)/\(name)").digest
    }
    return digests
  }
}
