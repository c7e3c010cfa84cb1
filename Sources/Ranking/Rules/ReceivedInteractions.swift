internal import Columns
package import RunSchemas

/// The latest interaction of each pair, grouped by receiver, for one kind of interaction.
package struct ReceivedInteractions: Sendable {
  let table: InteractionTable
  private let users: [UInt32]

  package init(_ table: InteractionTable) {
    self.table = table
    users = table.user.elements
  }

  /// Calls `body` once with the row of each user whose latest interaction with `candidate` is a pass.
  ///
  /// - Complexity: O(r) for the r interactions that the candidate received.
  func forEachPass(of candidate: Int, _ body: (_ user: UInt32) -> Void) {
    let passedBelow = table.passedBelow
    forEachLatest(of: candidate) { user, value in
      if value < passedBelow { body(user) }
    }
  }

  /// Calls `body` once with the row of each user whose latest interaction with `candidate` is a like.
  func forEachLike(of candidate: Int, _ body: (_ user: UInt32) -> Void) {
    let likedFrom = table.likedFrom
    forEachLatest(of: candidate) { user, value in
      if value >= likedFrom { body(user) }
    }
  }

  /// Calls `body` once with each user who interacted with `candidate`, and the value of the user's latest
  /// interaction; NaN for a retraction.
  @inline(__always)
  package func forEachLatest(of candidate: Int, _ body: (_ user: UInt32, _ value: Double) -> Void) {
    let (users, values, byCandidate) = (users.span, table.value.span, table.byCandidate.span)
    let range = table.range(ofCandidate: candidate)
    for position in range {
      // The interactions of one user are adjacent and ordered by time, so the last one is the latest.
      let index = Int(byCandidate[position])
      let isLatest =
        position + 1 == range.upperBound || users[Int(byCandidate[position + 1])] != users[index]
      if isLatest { body(users[index], values[index]) }
    }
  }
}
