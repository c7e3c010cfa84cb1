package import Columns
package import Files

/// The outcome of a request. The snapshot stores it as its index among the cases.
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

/// All requests of one kind, sorted by user, candidate, time, change and input order. The last request of a
/// user to a candidate is in force.
///
/// ```
/// snapshot/requests/<kind>/{user,candidate,at,changed,status}.npy
/// ```
package struct RequestTable: Sendable {
  /// Rows of the requesting users. `candidate` has the rows of the requested candidates.
  package let user: Column<UInt32>
  package let candidate: Column<UInt32>
  /// Milliseconds since 1970 UTC.
  package let at: Column<Int64>
  /// The time when the request got its status; `Int64.min` if it is pending.
  package let changed: Column<Int64>
  /// Codes of `RequestStatus`, as of the snapshot's as-of time.
  package let status: Column<UInt8>

  package init(_ directory: String) throws(FileError) {
    user = try Column(directory + "/user.npy")
    candidate = try Column(directory + "/candidate.npy")
    at = try Column(directory + "/at.npy")
    changed = try Column(directory + "/changed.npy")
    status = try Column(directory + "/status.npy")
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
