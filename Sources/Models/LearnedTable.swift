internal import Columns
internal import Features
package import Files
internal import Index
package import PipelineFile
package import RunSchemas
internal import Text

/// The data that a model learns from: the snapshot's interactions, or these interactions together with drawn
/// negative pairs (`NegativePairs`). `make` writes the combined table to `learning` in the model's directory,
/// and `read` reads this table.
package enum LearnedTable {
  private static let folder = "learning"

  /// Reads the learning data of `model` from the run.
  ///
  /// - Parameters:
  ///   - model: A model of the pipeline.
  ///   - snapshot: The run's snapshot.
  ///   - run: The run directory, which contains `models`.
  /// - Returns: The table; `nil` if the drawn pairs were deleted, for example by an erasure.
  /// - Throws: `FileError`.
  package static func read(
    _ model: Pipeline.Model, _ snapshot: Snapshot, run: String
  ) throws(FileError) -> InteractionTable? {
    guard model.negatives != nil else { return snapshot.interactions[model.learnsFrom] }
    let directory = model.directory(in: run + "/models") + "/" + folder
    guard Directories.exists(directory) else { return nil }
    return try InteractionTable(directory, likedFrom: snapshot.interactions[model.learnsFrom]?.likedFrom)
  }

  /// Returns the bounds of the values that the model learns to predict; `nil` if the pipeline file already
  /// bounds the values.
  static func bounds(
    of table: InteractionTable, learnsFrom kind: String, _ pipeline: Pipeline
  ) -> NumberBounds? {
    guard let value = pipeline.interaction(kind)?.value, value.range == nil, value.knownValues == nil else {
      return nil
    }
    return NumberBounds(of: table.value.elements)
  }

  /// Returns the table with all values limited to `bounds`.
  static func bounded(_ table: InteractionTable, by bounds: NumberBounds) -> InteractionTable {
    let values = table.value.elements
    let bounded = bounds(values)
    return bounded == values ? table : table.replacingValues(bounded)
  }

  /// Returns the table that `model` learns from, and the number of drawn pairs (`nil` if the model draws
  /// none). If the model draws negative pairs, this function first writes the combined table.
  static func make(
    _ model: Pipeline.Model, _ pipeline: Pipeline, _ snapshot: Snapshot, run: String, threads: Int,
    to directory: inout StageDirectory
  ) throws(FileError) -> (table: InteractionTable, drawn: Int?) {
    guard let table = snapshot.interactions[model.learnsFrom],
      let kind = pipeline.interaction(model.learnsFrom)
    else { preconditionFailure("the snapshot does not contain the model's interactions") }
    guard let negatives = model.negatives else { return (table, nil) }
    let pairs = try NegativePairs(
      negatives, within: pipeline.reach(of: negatives, model), of: kind, pipeline, snapshot, run: run)
    let drawn = pairs.all(threads: threads)
    let name = model.name.map { $0 + "/" + folder } ?? folder
    try write(table, pairs, drawn, negatives.value, at: snapshot.manifest.asOf, to: name, in: &directory)
    let written = try InteractionTable(directory.written(name), likedFrom: table.likedFrom)
    return (written, drawn.reduce(0) { $0 + $1.count })
  }

  /// Writes each user's interactions within the radius, followed by the user's drawn pairs, which have the
  /// time `asOf`.
  ///
  /// If only the drawn pairs were within the radius, every far pair would be a like. A model would then
  /// learn that users prefer far candidates.
  private static func write(
    _ table: InteractionTable, _ pairs: NegativePairs, _ drawn: [[UInt32]], _ drawnValue: Double,
    at asOf: Instant, to name: String, in directory: inout StageDirectory
  ) throws(FileError) {
    var candidate: [UInt32] = []
    var at: [Int64] = []
    var value: [Double] = []
    var offsets: [UInt64] = [0]
    for (row, drawn) in drawn.enumerated() {
      let reach = pairs.reach(of: row)
      for index in table.range(ofUser: row) where reach.contains(table.candidate[index]) {
        candidate.append(table.candidate[index])
        at.append(table.at[index])
        value.append(table.value[index])
      }
      candidate += drawn
      at += drawn.map { _ in asOf.milliseconds }
      value += drawn.map { _ in drawnValue }
      offsets.append(UInt64(candidate.count))
    }
    let candidates = table.candidateOffsets.count - 1
    let byCandidate = candidate.indices.map { UInt32($0) }.sorted {
      (candidate[Int($0)], $0) < (candidate[Int($1)], $1)
    }
    var ends = [UInt64](repeating: 0, count: candidates + 1)
    for row in candidate { ends[Int(row) + 1] += 1 }
    for row in 0..<candidates { ends[row + 1] += ends[row] }
    try Column.write(candidate, to: name + "/candidate.npy", in: &directory)
    try Column.write(at, to: name + "/at.npy", in: &directory)
    try Column.write(value, to: name + "/value.npy", in: &directory)
    try Column.write(offsets, to: name + "/user.offsets.npy", in: &directory)
    try Column.write(byCandidate, to: name + "/by_candidate.npy", in: &directory)
    try Column.write(ends, to: name + "/by_candidate.offsets.npy", in: &directory)
  }
}
