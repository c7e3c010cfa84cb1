internal import Columns
package import Files
package import PipelineFile
internal import RunSchemas

/// Which interactions of a kind count: those that were not taken back, and of each pair the latest alone where the
/// pipeline file says so.
///
/// The others stay in the snapshot beside them, as an evaluation has to know what counted at its cut.
package struct InteractionsInForce {
  /// By index in the table.
  let counts: [Bool]

  /// - Parameters:
  ///   - table: All of a kind, where NaN is the value of what takes back.
  ///   - isLatestOnly: Whether of each pair the latest alone counts.
  /// - Complexity: O(n) in the interactions.
  init(_ table: InteractionTable, isLatestOnly: Bool) {
    let (candidates, values) = (table.candidate.span, table.value.span)
    var counts = [Bool](repeating: false, count: table.count)
    for user in 0..<table.userOffsets.count - 1 {
      var settled: Set<UInt32> = []
      // From the newest on: what stands before a pair's end does not count.
      for index in table.range(ofUser: user).reversed() where !settled.contains(candidates[index]) {
        counts[index] = !values[index].isNaN
        if isLatestOnly || values[index].isNaN { settled.insert(candidates[index]) }
      }
    }
    self.counts = counts
  }

  /// Writes those that count to `interactions/<kind>/in_force`, where some may not.
  ///
  /// - Parameters:
  ///   - kind: The kind, all of which stand in `directory`.
  ///   - directory: The snapshot as it grows.
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
