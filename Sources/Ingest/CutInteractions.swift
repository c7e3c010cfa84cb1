internal import Columns
internal import Files
internal import RunSchemas

/// The interactions of one kind that a cut keeps.
struct CutInteractions {
  private let table: InteractionTable
  private let candidates: [UInt32]
  /// Indices in `table`, ascending. New rows ascend with old ones, so these are in (user, time, input order) order.
  private let kept: [UInt32]
  /// Where those of each user who stays begin in `kept`, and the end.
  private let userOffsets: [UInt64]
  private(set) var counts = CutSnapshot.InteractionCounts()

  /// - Parameters:
  ///   - table: The interactions of the later snapshot.
  ///   - users: By row of the users' entity: the row after the cut, or `CutSnapshot.leftOut`.
  ///   - candidates: The same of the candidates' entity.
  ///   - keeps: Whether the interaction at an index of the table stays.
  init(_ table: InteractionTable, users: [UInt32], candidates: [UInt32], keeps: (Int) -> Bool) {
    self.table = table
    self.candidates = candidates
    let candidate = table.candidate.span
    var kept: [UInt32] = []
    var offsets: [UInt64] = [0]
    for user in users.indices {
      let staysUser = users[user] != CutSnapshot.leftOut
      for index in table.range(ofUser: user) {
        if !keeps(index) {
          counts.leftOut += 1
        } else if staysUser, candidates[Int(candidate[index])] != CutSnapshot.leftOut {
          kept.append(UInt32(index))
        } else {
          counts.withoutEntity += 1
        }
      }
      if staysUser { offsets.append(UInt64(kept.count)) }
    }
    counts.kept = kept.count
    self.kept = kept
    userOffsets = offsets
  }

  /// Writes the columns and both groupings to `name`.
  func write(to name: String, in directory: inout StageDirectory) throws(FileError) {
    try write(table.at, to: name + "/at.npy", in: &directory)
    try table.value.write(kept, to: name + "/value.npy", in: &directory)
    try Column.write(userOffsets, to: name + "/user.offsets.npy", in: &directory)
    let candidate = newCandidates
    try Column.write(candidate, to: name + "/candidate.npy", in: &directory)
    let byCandidate = Grouping(candidate, count: candidates.count { $0 != CutSnapshot.leftOut })
    try Column.write(byCandidate.members, to: name + "/by_candidate.npy", in: &directory)
    try Column.write(byCandidate.offsets, to: name + "/by_candidate.offsets.npy", in: &directory)
  }

  private func write<Element>(
    _ column: Column<Element>, to name: String, in directory: inout StageDirectory
  ) throws(FileError) {
    let span = column.span
    var values: [Element] = []
    values.reserveCapacity(kept.count)
    for index in kept { values.append(span[Int(index)]) }
    try Column.write(values, to: name, in: &directory)
  }

  private var newCandidates: [UInt32] {
    let column = table.candidate.span
    var rows: [UInt32] = []
    rows.reserveCapacity(kept.count)
    for index in kept { rows.append(candidates[Int(column[Int(index)])]) }
    return rows
  }
}
