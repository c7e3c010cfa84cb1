internal import Columns
package import Files
package import RunSchemas

/// A subset of the interactions of a table, as a separate table. It is used for the interactions in force,
/// for the cut of an evaluation, and for an erasure.
package struct InteractionSubset {
  /// The new row number of a row that is not included.
  package static let noRow = UInt32.max

  private let table: InteractionTable
  private let candidates: [UInt32]
  /// The indices of the kept interactions in `table`, ascending. The included rows stay in order, so the
  /// interactions at these indices are sorted by user, time and input order.
  private let kept: [UInt32]
  /// The index in `kept` of the first interaction of each remaining user, then the end of `kept`.
  private let userOffsets: [UInt64]
  package private(set) var counts = SubsetCounts()

  /// - Parameters:
  ///   - table: All interactions of the kind.
  ///   - users: The new row of each user, by old row; `noRow` for a user that is left out.
  ///   - candidates: The new row of each candidate, by old row; `noRow` for a candidate that is left out.
  ///   - keeps: Returns whether to keep the interaction at an index of the table.
  package init(_ table: InteractionTable, users: [UInt32], candidates: [UInt32], keeps: (Int) -> Bool) {
    self.table = table
    self.candidates = candidates
    let candidate = table.candidate.span
    var kept: [UInt32] = []
    var offsets: [UInt64] = [0]
    for user in users.indices {
      let staysUser = users[user] != Self.noRow
      for index in table.range(ofUser: user) {
        if !keeps(index) {
          counts.leftOut += 1
        } else if staysUser, candidates[Int(candidate[index])] != Self.noRow {
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

  /// Writes the columns, and the groupings by user and by candidate, to the directory `name`.
  package func write(to name: String, in directory: inout StageDirectory) throws(FileError) {
    try write(table.at, to: name + "/at.npy", in: &directory)
    try table.value.write(kept, to: name + "/value.npy", in: &directory)
    try Column.write(userOffsets, to: name + "/user.offsets.npy", in: &directory)
    let candidate = newCandidates
    try Column.write(candidate, to: name + "/candidate.npy", in: &directory)
    let byCandidate = Grouping(candidate, count: candidates.count { $0 != Self.noRow })
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

/// The numbers of interactions or requests of a kind by outcome. Each interaction or request has exactly one
/// outcome.
package struct SubsetCounts: Hashable, Sendable {
  package var kept = 0
  /// The number of interactions that `keeps` excluded, or of requests after the cut.
  package var leftOut = 0
  /// The number of other interactions or requests whose user or candidate is left out.
  package var withoutEntity = 0

  package init(kept: Int = 0, leftOut: Int = 0, withoutEntity: Int = 0) {
    (self.kept, self.leftOut, self.withoutEntity) = (kept, leftOut, withoutEntity)
  }
}

/// Numbers grouped by a key, each group in ascending order. The counting sort takes linear time in the
/// numbers and the keys.
struct Grouping {
  /// Group `k` is `members[offsets[k]..<offsets[k + 1]]`.
  let offsets: [UInt64]
  let members: [UInt32]

  /// Groups the indices of `keys`. All keys are less than `count`.
  init(_ keys: [UInt32], count: Int) {
    self.init(count: count) { group in
      for (index, key) in keys.enumerated() { group(UInt32(index), key) }
    }
  }

  /// Groups the numbers that `each` produces. `each` is called twice and must produce the same numbers both
  /// times.
  ///
  /// - Parameters:
  ///   - count: The exclusive upper limit of keys.
  ///   - each: Calls its argument with each number, in ascending order, and its key.
  init(count: Int, _ each: ((_ number: UInt32, _ key: UInt32) -> Void) -> Void) {
    var offsets = [UInt64](repeating: 0, count: count + 1)
    each { _, key in offsets[Int(key) + 1] += 1 }
    for key in 0..<count { offsets[key + 1] += offsets[key] }
    var members = [UInt32](repeating: 0, count: Int(offsets[count]))
    var next = offsets
    each { number, key in
      members[Int(next[Int(key)])] = number
      next[Int(key)] += 1
    }
    self.offsets = offsets
    self.members = members
  }
}
