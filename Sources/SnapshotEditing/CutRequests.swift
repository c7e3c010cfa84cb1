internal import Columns
internal import Files
internal import Ingest
internal import PipelineFile
internal import RunSchemas

/// The requests of one kind as they were at a cut. Requests after the cut are left out, and a request that
/// was answered after the cut is pending.
struct CutRequests {
  private var columns = RequestColumns()
  private(set) var counts = SubsetCounts()

  /// - Parameters:
  ///   - table: The requests of the original snapshot.
  ///   - users: By row of the users' entity, the row after the cut or `CutSnapshot.noRow`.
  ///   - candidates: By row of the candidates' entity, the row after the cut or `CutSnapshot.noRow`.
  ///   - cut: By row of the user in the original snapshot, the time up to which the user's actions are kept.
  init(
    _ table: RequestTable, users: [UInt32], candidates: [UInt32], cut: (_ user: Int) -> Int64
  ) {
    // `pending` and `answered` contain requests with the same pair and time. The table lists pending requests
    // first. A request whose answer is after the cut becomes pending, so it moves before the answered
    // requests.
    var (pending, answered): ([Int], [Int]) = ([], [])
    for index in 0..<table.count {
      let moment = cut(Int(table.user[index]))
      let (user, candidate) = (users[Int(table.user[index])], candidates[Int(table.candidate[index])])
      if table.at[index] > moment {
        counts.leftOut += 1
      } else if user == CutSnapshot.noRow || candidate == CutSnapshot.noRow {
        counts.withoutEntity += 1
      } else if table.changed[index] > moment || table.changed[index] == .min {
        pending.append(index)
      } else {
        answered.append(index)
      }
      guard index + 1 == table.count || !table.isSamePairAndTime(index, index + 1) else { continue }
      for index in pending {
        let isKnown = table.changed[index] <= moment
        append(
          table, index, user, candidate, changed: .min,
          isKnown ? table.status[index] : RequestStatus.pending.code)
      }
      for index in answered {
        append(table, index, user, candidate, changed: table.changed[index], table.status[index])
      }
      pending.removeAll()
      answered.removeAll()
    }
    counts.kept = columns.user.count
  }

  private mutating func append(
    _ table: RequestTable, _ index: Int, _ user: UInt32, _ candidate: UInt32, changed: Int64, _ status: UInt8
  ) {
    columns.append(
      user: user, candidate: candidate, at: table.at[index], changed: changed, status: status)
  }

  func write(to name: String, in directory: inout StageDirectory) throws(FileError) {
    try columns.write(to: name, in: &directory)
  }
}

extension RequestTable {
  /// Returns whether the requests at two indices have the same user, candidate and time.
  fileprivate func isSamePairAndTime(_ one: Int, _ other: Int) -> Bool {
    user[one] == user[other] && candidate[one] == candidate[other] && at[one] == at[other]
  }
}
