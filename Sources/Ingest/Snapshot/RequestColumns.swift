internal import Columns
package import Files
internal import PipelineFile
internal import RunSchemas

/// The columns of a table of requests that is to be written.
package struct RequestColumns {
  package private(set) var user: [UInt32] = []
  private var candidate: [UInt32] = []
  private var at: [Int64] = []
  private var changed: [Int64] = []
  private var status: [UInt8] = []

  package init() {}

  package mutating func append(user: UInt32, candidate: UInt32, at: Int64, changed: Int64, status: UInt8) {
    self.user.append(user)
    self.candidate.append(candidate)
    self.at.append(at)
    self.changed.append(changed)
    self.status.append(status)
  }

  package func write(to name: String, in directory: inout StageDirectory) throws(FileError) {
    try Column.write(user, to: name + "/user.npy", in: &directory)
    try Column.write(candidate, to: name + "/candidate.npy", in: &directory)
    try Column.write(at, to: name + "/at.npy", in: &directory)
    try Column.write(changed, to: name + "/changed.npy", in: &directory)
    try Column.write(status, to: name + "/status.npy", in: &directory)
  }
}

extension SnapshotWriter {
  /// Writes the kept requests in the order of the snapshot's table.
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
