internal import Columns
internal import Files
internal import Text

/// The lists that a run published, read back from `rankings/<list>.csv`.
struct PublishedLists: Sendable {
  /// The ranked candidates of each user. Users and candidates are row numbers of the id columns that the
  /// initializer received. An unknown candidate is `UInt32.max`. Lists of unknown users are skipped.
  let lists: [[UInt32]]

  /// Reads the lists of `ranking` in the run directory `run`.
  ///
  /// - Parameters:
  ///   - ranking: The name of the ranking.
  ///   - run: The run directory.
  ///   - users: The user ids of the snapshot.
  ///   - candidates: The candidate ids of the snapshot. An unknown candidate keeps its place on the list, and
  ///     this place can never be a hit.
  /// - Throws: `FileError` with the operation `find` if the run has no lists of `ranking`. The operation is
  ///   `read` if the file is damaged, or if the file is missing but the manifest lists it.
  init(_ ranking: String, in run: String, users: StringColumn, candidates: StringColumn) throws {
    let file = run + "/rankings/" + ranking + ".csv"
    guard Directories.exists(file) else {
      let manifest = try? Manifest(of: run + "/rankings")
      if manifest?.outputs.contains(where: { $0.path == ranking + ".csv" }) == true {
        throw FileError(damaged: file, "it is missing")
      }
      throw FileError(
        .find, file, reason: "the run has no such list",
        advice: "Choose a run of this pipeline that contains lists of '\(ranking)'.")
    }
    var lists = [[UInt32]](repeating: [], count: users.count)
    // The rows of a user are adjacent.
    var last: (id: [UInt8], row: Int?) = ([], nil)
    var columns: (user: Int, candidate: Int)?
    var number = 0
    try MappedFile(checking: file).forEachLine(
      { (line) throws(FileError) in
        number += 1
        guard let record = CSVRecord(line: line) else {
          throw FileError(damaged: file, "line \(number) is not CSV")
        }
        guard let (user, candidate) = columns else {
          let names = (0..<record.count).map { String(decoding: record[$0], as: UTF8.self) }
          guard let user = names.firstIndex(of: "user_id"),
            let candidate = names.firstIndex(of: "candidate_id")
          else { throw FileError(damaged: file, "its header lacks 'user_id' or 'candidate_id'") }
          columns = (user, candidate)
          return
        }
        guard !record[user].isEmpty, !record[candidate].isEmpty else {
          throw FileError(damaged: file, "line \(number) lacks a user id or a candidate id")
        }
        let id = record.text(user)
        if id != last.id { last = (id, users.row(of: id)) }
        guard let row = last.row else { return }
        lists[row].append(candidates.row(of: record.text(candidate)).map { UInt32($0) } ?? .max)
      }, path: file)
    self.lists = lists
  }
}
