internal import Columns
internal import Files
internal import Ingest
internal import PipelineFile
internal import RunSchemas

/// The requests of one kind as they were at a cut: only requests made up to then, pending if the answer came later.
struct CutRequests {
  private var columns = RequestColumns()
  private(set) var counts = SubsetCounts()

  /// - Parameters:
  ///   - table: The requests of the later snapshot.
  ///   - users: By row of the users' entity: the row after the cut, or `CutSnapshot.leftOut`.
  ///   - candidates: The same for the candidates' entity.
  ///   - cut: By row of the user in the later snapshot: the time up to which the user's actions are shown.
  init(
    _ table: RequestTable, users: [UInt32], candidates: [UInt32], cut: (_ user: Int) -> Int64
  ) {
    var kept: [(index: Int, user: UInt32, candidate: UInt32, isKnown: Bool)] = []
    for index in 0..<table.count {
      let moment = cut(Int(table.user[index]))
      let (user, candidate) = (users[Int(table.user[index])], candidates[Int(table.candidate[index])])
      if table.at[index] > moment {
        counts.leftOut += 1
      } else if user == CutSnapshot.leftOut || candidate == CutSnapshot.leftOut {
        counts.withoutEntity += 1
      } else {
        kept.append((index, user, candidate, table.changed[index] <= moment))
        // The table sorts pending requests first among those of one pair at one time. The cut makes a request with a later
        // answer pending, so it moves before those whose answer is known.
        var place = kept.count - 1
        while place > 0, !kept[place].isKnown, kept[place - 1].isKnown,
          kept[place - 1].user == user, kept[place - 1].candidate == candidate,
          table.at[kept[place - 1].index] == table.at[index]
        {
          kept.swapAt(place, place - 1)
          place -= 1
        }
      }
    }
    for row in kept {
      columns.append(
        user: row.user, candidate: row.candidate, at: table.at[row.index],
        changed: row.isKnown ? table.changed[row.index] : .min,
        status: row.isKnown ? table.status[row.index] : RequestStatus.pending.code)
    }
    counts.kept = columns.user.count
  }

  func write(to name: String, in directory: inout StageDirectory) throws(FileError) {
    try columns.write(to: name, in: &directory)
  }
}
