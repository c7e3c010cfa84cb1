internal import Columns
internal import Files
internal import Ingest
internal import PipelineFile
internal import RunSchemas

/// The requests of one kind as they were at a cut: those that were made up to then, pending where the answer came later.
struct CutRequests {
  private var columns = RequestColumns()
  private(set) var counts = SubsetCounts()

  /// - Parameters:
  ///   - table: The requests of the later snapshot.
  ///   - users: By row of the users' entity: the row after the cut, or `CutSnapshot.leftOut`.
  ///   - candidates: The same of the candidates' entity.
  ///   - cut: The moment of which what a user did is shown, by row of the later snapshot.
  init(
    _ table: RequestTable, users: [UInt32], candidates: [UInt32], cut: (_ user: Int) -> Int64
  ) {
    for index in 0..<table.count {
      let moment = cut(Int(table.user[index]))
      let (user, candidate) = (users[Int(table.user[index])], candidates[Int(table.candidate[index])])
      if table.at[index] > moment {
        counts.leftOut += 1
      } else if user == CutSnapshot.leftOut || candidate == CutSnapshot.leftOut {
        counts.withoutEntity += 1
      } else {
        let isKnown = table.changed[index] <= moment
        columns.append(
          user: user, candidate: candidate, at: table.at[index],
          changed: isKnown ? table.changed[index] : .min,
          status: isKnown ? table.status[index] : RequestStatus.pending.code)
      }
    }
    counts.kept = columns.user.count
  }

  func write(to name: String, in directory: inout StageDirectory) throws(FileError) {
    try columns.write(to: name, in: &directory)
  }
}
