package import Columns
internal import Concurrency
package import Files

/// The interactions of one kind, sorted by user, time and input order.
package struct InteractionTable: Sendable {
  /// The users, as rows of their entity.
  package let user: InteractionUsers
  /// The candidates, as rows of their entity.
  package let candidate: Column<UInt32>
  /// The times of the interactions in milliseconds since 1970 UTC.
  package let at: Column<Int64>
  package private(set) var value: ValueColumn
  /// The interactions of user `u` are `userOffsets[u]..<userOffsets[u + 1]`.
  package let userOffsets: Column<UInt64>
  /// Indices of interactions, grouped by candidate. Each group is in the order of the table. `candidateOffsets`
  /// contains the start of each group, followed by the number of interactions.
  package let byCandidate: Column<UInt32>
  package let candidateOffsets: Column<UInt64>
  /// The minimum value of a like.
  package let likedFrom: Double
  /// The value below which every interaction is a pass.
  package let passedBelow: Double

  /// The name of the directory with the interactions in force, which were neither retracted nor replaced. The
  /// directory exists only if some interactions are no longer in force.
  package static let inForce = "in_force"

  /// Memory-maps the table in `directory`. See `InteractionSchema` for `likedFrom`, and `Snapshot` for
  /// `holdsEnded`.
  package init(
    _ directory: String, likedFrom: Double? = nil, holdsEnded: Bool = false
  ) throws(FileError) {
    let inForce = directory + "/" + Self.inForce
    let directory = !holdsEnded && Directories.exists(inForce) ? inForce : directory
    self.likedFrom = likedFrom ?? .leastNonzeroMagnitude
    passedBelow = likedFrom ?? 0
    let ends = directory + "/by_candidate.offsets.npy"
    let offsets = try Column<UInt64>(ends)
    let place = directory + "/candidate.npy"
    let candidate = try Column<UInt32>(place).checked(below: offsets.count - 1, place)
    candidateOffsets = try offsets.checked(dividing: candidate.count, ends)
    self.candidate = candidate
    at = try Column<Int64>(directory + "/at.npy", count: candidate.count)
      .checkedTimes(directory + "/at.npy")
    value = try ValueColumn(directory + "/value.npy", count: candidate.count)
    let starts = directory + "/user.offsets.npy"
    userOffsets = try Column<UInt64>(starts).checked(dividing: candidate.count, starts)
    user = InteractionUsers(userOffsets, count: candidate.count)
    let groups = directory + "/by_candidate.npy"
    byCandidate = try Column<UInt32>(groups, count: candidate.count).checked(below: candidate.count, groups)
  }

  /// Checks that the table has `users` users and `candidates` candidates; `nil` allows any number.
  ///
  /// - Throws: `FileError` if a number differs.
  func check(users: Int?, candidates: Int?, in directory: String) throws(FileError) {
    guard (users ?? userOffsets.count - 1) == userOffsets.count - 1,
      (candidates ?? candidateOffsets.count - 1) == candidateOffsets.count - 1
    else {
      throw FileError(
        damaged: directory,
        "its number of users or candidates differs from the number of rows of their entity")
    }
  }

  package var count: Int { candidate.count }

  /// Whether any interaction, except a retraction, is not a like.
  package var hasPasses: Bool { value.elements.contains { $0 < likedFrom } }

  /// Returns a copy of this table with other values: one value per interaction, in the order of the table.
  package func replacingValues(_ values: [Double]) -> InteractionTable {
    precondition(
      values.count == count,
      "each interaction must have one value, but there are \(values.count) values for \(count) interactions")
    var table = self
    table.value = ValueColumn(inMemory: values)
    return table
  }

  /// Returns the indices of the interactions of the user at row `user`.
  package func range(ofUser user: Int) -> Range<Int> {
    userOffsets.range(of: user)
  }

  /// Returns the positions in `byCandidate` of the interactions that the candidate at row `candidate`
  /// received.
  package func range(ofCandidate candidate: Int) -> Range<Int> {
    candidateOffsets.range(of: candidate)
  }
}

/// The user of each interaction, as a row number.
///
/// The row numbers are not stored, because the offsets contain the same information in far fewer bytes. The
/// numbers are computed on first use and then shared.
package final class InteractionUsers: Sendable {
  private let offsets: Column<UInt64>
  private let count: Int
  private let known = Guarded<[UInt32]?>(nil)

  /// - Parameters:
  ///   - offsets: The interactions of user `u` are `offsets[u]..<offsets[u + 1]`.
  ///   - count: The number of interactions.
  init(_ offsets: Column<UInt64>, count: Int) {
    self.offsets = offsets
    self.count = count
  }

  /// All rows, one element per interaction. Read this property once before a loop, because each access takes
  /// a lock.
  package var elements: [UInt32] {
    known.withLock { known in
      if let known { return known }
      let users = [UInt32](capacity: count) { users in
        for user in 0..<max(offsets.count - 1, 0) {
          users.append(repeating: UInt32(user), count: offsets.range(of: user).count)
        }
      }
      precondition(users.count == count, "the user offsets must belong to the same table")
      known = users
      return users
    }
  }
}
