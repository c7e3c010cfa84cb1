internal import Columns
internal import Files
internal import Readers
internal import Text

/// The lists that a run published, read back from `rankings/<list>.csv`.
struct PublishedLists: Sendable {
  /// By user: ranked candidates, both as rows of the snapshot that ids were looked up in; nobody who is not in it.
  let lists: [[UInt32]]

  /// Reads the lists of `ranking` in the run directory `run`.
  ///
  /// - Parameters:
  ///   - ranking: The list's name.
  ///   - run: The run directory.
  ///   - users: The ids to look users up in.
  ///   - candidates: The same of candidates. Who is not there keeps a place that nobody can be found on.
  /// - Throws: `FileError` of `find` where the run has no such list; `ExportError` where it cannot be read.
  init(_ ranking: String, in run: String, users: StringColumn, candidates: StringColumn) throws {
    let file = run + "/rankings/" + ranking + ".csv"
    guard Directories.exists(file) else {
      throw FileError(
        .find, file, reason: "the run has no such list",
        advice: "Name a run of this pipeline that ranked '\(ranking)'.")
    }
    var lists = [[UInt32]](repeating: [], count: users.count)
    let reader = try ExportReader(file: file, format: .csv, fields: ["user_id", "candidate_id"])
    // The rows of a user stand together.
    var last: (id: [UInt8], row: Int?) = ([], nil)
    try reader.forEachRecord { record in
      guard case .text(let user) = record[0], case .text(let candidate) = record[1] else {
        throw FileError(.read, file, reason: "line \(record.number) is not a recommendation")
      }
      let id = CSVText.decoded(user.bytes)
      if id != last.id { last = (id, users.row(of: id)) }
      guard let row = last.row else { return }
      lists[row].append(candidates.row(of: CSVText.decoded(candidate.bytes)).map { UInt32($0) } ?? .max)
    }
    self.lists = lists
  }
}
