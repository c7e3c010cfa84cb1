internal import Ingest
internal import PipelineFile
internal import RunSchemas

/// What is a user's own among the candidates of a ranking, by number of the id: the same as `OwnCandidates` of the
/// module `Ranking` tells of a snapshot.
struct OwnEntities {
  private let isOneKind: Bool
  private let users: EntityRows
  private let candidates: EntityRows
  /// By rank of the owner: numbers of candidates.
  private var owned: [UInt32: [Int]] = [:]

  /// - Returns: `nil` where the ranking does not exclude them.
  init?(_ ranking: Pipeline.Ranking, _ users: EntityRows, _ candidates: EntityRows) {
    guard ranking.exclusions.contains(.oneself) else { return nil }
    isOneKind = ranking.users == ranking.candidates
    self.users = users
    self.candidates = candidates
    guard let kind = candidates.entity.owner?.entity,
      kind == ranking.users || kind == users.entity.owner?.entity
    else { return }
    for (number, row) in candidates.rows.enumerated() where row.owner != EntityTable.noOwner {
      owned[row.owner, default: []].append(number)
    }
  }

  /// The numbers of the candidates that are the own ones of the user with this number, each once.
  func numbers(of user: Int) -> Set<Int> {
    var own: Set<Int> = isOneKind ? [user] : []
    if let owner = users.entity.owner, owner.entity == candidates.entity.name,
      users.rows[user].owner != EntityTable.noOwner
    {
      own.insert(Int(candidates.ids.numbers[Int(users.rows[user].owner)]))
    }
    if let owner = candidates.entity.owner {
      let principal = owner.entity == users.entity.name ? users.ids.ranks[user] : users.rows[user].owner
      own.formUnion(owned[principal] ?? [])
    }
    return own
  }
}
