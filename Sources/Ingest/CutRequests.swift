internal import Columns
internal import Files
internal import PipelineFile
internal import RunSchemas

/// The requests of one kind as they were at a cut: those that were made up to then, pending where the answer came later.
struct CutRequests {
  private var columns = RequestColumns()
  private(set) var counts = CutSnapshot.InteractionCounts()

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

/// The columns of a table of requests before they are written.
struct RequestColumns {
  private(set) var user: [UInt32] = []
  private var candidate: [UInt32] = []
  private var at: [Int64] = []
  private var changed: [Int64] = []
  private var status: [UInt8] = []

  mutating func append(user: UInt32, candidate: UInt32, at: Int64, changed: Int64, status: UInt8) {
    self.user.append(user)
    self.candidate.append(candidate)
    self.at.append(at)
    self.changed.append(changed)
    self.status.append(status)
  }

  func write(to name: String, in directory: inout StageDirectory) throws(FileError) {
    try Column.write(user, to: name + "/user.npy", in: &directory)
    try Column.write(candidate, to: name + "/candidate.npy", in: &directory)
    try Column.write(at, to: name + "/at.npy", in: &directory)
    try Column.write(changed, to: name + "/changed.npy", in: &directory)
    try Column.write(status, to: name + "/status.npy", in: &directory)
  }
}

extension SnapshotWriter {
  /// Writes the requests that are kept.
  mutating func write(
    _ requests: RequestRows, users: KeptEntities, candidates: KeptEntities
  ) throws(FileError) {
    var columns = RequestColumns()
    for row in requests.inOrder {
      columns.append(
        user: users.rowOfRank[Int(row.user)], candidate: candidates.rowOfRank[Int(row.candidate)], at: row.at,
        changed: row.changed, status: row.status.code)
    }
    try columns.write(to: "requests/" + requests.requests.name, in: &directory)
  }
}
