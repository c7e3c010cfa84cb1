internal import Columns
package import PipelineFile
package import RunSchemas

/// A user's own candidates: the user, the candidates that the user owns, the user's owner, and the other
/// candidates that this owner owns.
package struct OwnCandidates: Sendable {
  private let isOneKind: Bool
  /// The row of the candidate that owns each user, one element per row; empty if candidates do not own users.
  private let ownerOfUser: [UInt32]
  /// The row of the owner that each user shares with candidates, one element per row; `nil` if users own
  /// candidates themselves.
  private let principal: [UInt32]?
  /// Rows of candidates, grouped by owner; owner o owns `owned[ends[o]..<ends[o + 1]]`. Both arrays are empty
  /// if candidates belong neither to users nor to owners of users.
  private let owned: [UInt32]
  private let ends: [UInt32]

  package init(_ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot) {
    isOneKind = ranking.users == ranking.candidates
    let owner = (
      user: pipeline.entity(ranking.users)?.owner?.entity,
      candidate: pipeline.entity(ranking.candidates)?.owner?.entity
    )
    let ownersOfUsers = snapshot.entities[ranking.users]?.owner?.elements ?? []
    ownerOfUser = owner.user == ranking.candidates ? ownersOfUsers : []
    principal = owner.candidate == ranking.users ? nil : ownersOfUsers
    guard let kind = owner.candidate, kind == ranking.users || kind == owner.user,
      let count = snapshot.entities[kind]?.count,
      let owners = snapshot.entities[ranking.candidates]?.owner?.elements
    else {
      (owned, ends) = ([], [])
      return
    }
    var ends = [UInt32](repeating: 0, count: count + 1)
    for owner in owners where owner != EntityTable.noOwner { ends[Int(owner) + 1] += 1 }
    for owner in 0..<count { ends[owner + 1] += ends[owner] }
    var next = ends
    var owned = [UInt32](repeating: 0, count: Int(ends[count]))
    for (row, owner) in owners.enumerated() where owner != EntityTable.noOwner {
      owned[Int(next[Int(owner)])] = UInt32(row)
      next[Int(owner)] += 1
    }
    (self.owned, self.ends) = (owned, ends)
  }

  /// Calls `body` with the row of each of the user's own candidates. A row may occur twice.
  package func forEach(of user: Int, _ body: (UInt32) -> Void) {
    if isOneKind { body(UInt32(user)) }
    if !ownerOfUser.isEmpty, ownerOfUser[user] != EntityTable.noOwner { body(ownerOfUser[user]) }
    guard !ends.isEmpty else { return }
    let owner = principal.map { $0[user] } ?? UInt32(user)
    guard owner != EntityTable.noOwner else { return }
    for place in ends[Int(owner)]..<ends[Int(owner) + 1] { body(owned[Int(place)]) }
  }
}
