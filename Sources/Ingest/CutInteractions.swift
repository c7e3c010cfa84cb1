internal import Tables

/// The interactions of one kind that a cut keeps.
struct CutInteractions {
  private let table: InteractionTable
  private let users: [UInt32]
  private let candidates: [UInt32]
  /// Indices in `table`, ascending. New rows ascend with old ones, so these are in (user, time, input order) order.
  private let kept: [UInt32]
  private(set) var counts = CutSnapshot.InteractionCounts()

  /// - Parameters:
  ///   - table: The interactions of the later snapshot.
  ///   - users: By row of the users' entity: the row after the cut, or `CutSnapshot.leftOut`.
  ///   - candidates: The same of the candidates' entity.
  ///   - keeps: Whether the interaction at an index of the table stays.
  init(_ table: InteractionTable, users: [UInt32], candidates: [UInt32], keeps: (Int) -> Bool) {
    self.table = table
    self.users = users
    self.candidates = candidates
    let user = table.user.elements
    let candidate = table.candidate.span
    var kept: [UInt32] = []
    for index in 0..<table.count {
      if !keeps(index) {
        counts.leftOut += 1
      } else if users[Int(user[index])] == CutSnapshot.leftOut
        || candidates[Int(candidate[index])] == CutSnapshot.leftOut
      {
        counts.withoutEntity += 1
      } else {
        kept.append(UInt32(index))
      }
    }
    counts.kept = kept.count
    self.kept = kept
  }

  /// Writes the columns and both groupings to `name`.
  func write(to name: String, in directory: inout StageDirectory) throws(FileError) {
    try write(table.at, to: name + "/at.npy", in: &directory)
    try table.value.write(kept, to: name + "/value.npy", in: &directory)
    // One column in memory at a time: there are far more interactions than of anything else.
    do {
      let user = newRows(table.user.elements.span, users)
      let offsets = Grouping.offsets(of: user, count: users.count { $0 != CutSnapshot.leftOut })
      try Column.write(offsets, to: name + "/user.offsets.npy", in: &directory)
    }
    let candidate = newRows(table.candidate.span, candidates)
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

  private func newRows(_ column: Span<UInt32>, _ newRows: [UInt32]) -> [UInt32] {
    var rows: [UInt32] = []
    rows.reserveCapacity(kept.count)
    for index in kept { rows.append(newRows[Int(column[Int(index)])]) }
    return rows
  }
}
