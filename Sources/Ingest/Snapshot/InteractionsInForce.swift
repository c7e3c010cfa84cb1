internal import Columns
package import Files
package import PipelineFile
internal import RunSchemas

/// The interactions of a kind that are in force. An interaction is in force unless it was retracted. With
/// `latest` in the pipeline file, only the latest interaction of each pair is in force.
///
/// The other interactions stay in the snapshot, because an evaluation must determine which interactions were
/// in force at its cut.
package struct InteractionsInForce {
  /// Whether each interaction is in force, by its index in the table.
  let counts: [Bool]

  /// - Parameters:
  ///   - table: All interactions of a kind. An interaction that retracts an earlier one has the
  ///     value NaN.
  ///   - isLatestOnly: Whether only the latest interaction of each pair is in force.
  /// - Complexity: O(n) in the interactions.
  init(_ table: InteractionTable, isLatestOnly: Bool) {
    let (candidates, values) = (table.candidate.span, table.value.span)
    var counts = [Bool](repeating: false, count: table.count)
    for user in 0..<table.userOffsets.count - 1 {
      var settled: Set<UInt32> = []
      // The newest interaction is visited first, so that a retraction comes before the interactions that it
      // cancels.
      for index in table.range(ofUser: user).reversed() where !settled.contains(candidates[index]) {
        counts[index] = !values[index].isNaN
        if isLatestOnly || values[index].isNaN { settled.insert(candidates[index]) }
      }
    }
    self.counts = counts
  }

  /// Writes the interactions in force to `interactions/<kind>/in_force`. If the pipeline file has neither
  /// `taken_back` nor `latest`, all interactions are in force, and the function writes no files.
  ///
  /// - Parameters:
  ///   - kind: The kind of interaction. All its interactions must already be in `directory`.
  ///   - directory: The snapshot being written.
  /// - Throws: `FileError`.
  package static func write(_ kind: Pipeline.Interaction, to directory: inout StageDirectory)
    throws(FileError)
  {
    guard kind.value.hasEnded else { return }
    let name = "interactions/" + kind.name
    let table = try InteractionTable(directory.written(name))
    let counts = InteractionsInForce(table, isLatestOnly: kind.value.isLatestOnly).counts
    let kept = InteractionSubset(
      table, users: Array(0..<UInt32(table.userOffsets.count - 1)),
      candidates: Array(0..<UInt32(table.candidateOffsets.count - 1))
    ) { counts[$0] }
    try kept.write(to: name + "/" + InteractionTable.inForce, in: &directory)
  }
}
