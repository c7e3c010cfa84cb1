package import Columns
package import Files

/// The outcome of a request. The snapshot stores the outcome as the index of its case.
package enum RequestStatus: String, CaseIterable, Sendable {
  case pending, accepted, refused, withdrawn

  package var code: UInt8 {
    switch self {
    case .pending: 0
    case .accepted: 1
    case .refused: 2
    case .withdrawn: 3
    }
  }
}

/// All requests of one kind, sorted by user, candidate, time, time of the last change, and input order. Only
/// the last request of a user to a candidate is in force.
///
/// ```
/// snapshot/requests/<kind>/{user,candidate,at,changed,status}.npy
/// ```
package struct RequestTable: Sendable {
  /// The rows of the requesting users.
  package let user: Column<UInt32>
  /// The rows of the requested candidates.
  package let candidate: Column<UInt32>
  /// The times of the requests in milliseconds since 1970 UTC.
  package let at: Column<Int64>
  /// The time when the request got its status; `Int64.min` if it is pending.
  package let changed: Column<Int64>
  /// Codes of `RequestStatus`, as of the snapshot's as-of time.
  package let status: Column<UInt8>

  /// Memory-maps the table in `directory`.
  ///
  /// - Throws: `FileError` if a column cannot be read, if the rows are not in order, or if a status is
  ///   unknown.
  package init(_ directory: String) throws(FileError) {
    user = try Column(directory + "/user.npy")
    let columns = EntityColumns(directory, count: user.count)
    candidate = try Column(directory + "/candidate.npy", count: user.count)
    at = try columns.times("at")
    changed = try columns.times("changed")
    status = try Column(directory + "/status.npy", count: user.count)
    guard status.elements.allSatisfy({ $0 < RequestStatus.allCases.count }) else {
      throw FileError(damaged: directory + "/status.npy", "it contains an unknown status")
    }
    guard Self.ascend(user.span, candidate.span) else {
      throw FileError(damaged: directory + "/user.npy", "its requests are not in order")
    }
  }

  private static func ascend(_ users: Span<UInt32>, _ candidates: Span<UInt32>) -> Bool {
    for index in users.indices.dropFirst()
    where (users[index], candidates[index]) < (users[index - 1], candidates[index - 1]) { return false }
    return true
  }

  /// Checks that all rows of users and candidates exist in tables of `users` and `candidates` rows.
  ///
  /// - Throws: `FileError` if a row does not exist.
  func check(users: Int, candidates: Int, in directory: String) throws(FileError) {
    _ = try user.checked(below: users, directory + "/user.npy")
    _ = try candidate.checked(below: candidates, directory + "/candidate.npy")
  }

  package var count: Int { user.count }

  /// The indices of the requests in force, sorted by user and candidate.
  package var inForce: [Int] {
    let (users, candidates) = (user.span, candidate.span)
    return (0..<count).filter { index in
      index + 1 == count || users[index] != users[index + 1] || candidates[index] != candidates[index + 1]
    }
  }
}
