internal import Columns
internal import PipelineFile
internal import RunSchemas

/// The candidates of a user in a ranking with `pending` or `among`. They wait for the user's answer, or the
/// user likes them or their owners.
enum ChosenCandidates: Sendable {
  case waiting(WaitingCandidates)
  /// The candidates of each user, grouped by row of the user.
  case groups(RowGroups)

  /// Prepares the candidates of all users.
  ///
  /// - Returns: The candidates, or `nil` for a ranking with neither `pending` nor `among`.
  init?(_ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot) {
    if let pending = ranking.pending {
      self = .waiting(WaitingCandidates(pending, pipeline, snapshot))
      return
    }
    switch ranking.among {
    case nil: return nil
    case .liked(let kind):
      let table = Self.table(kind, snapshot)
      self = .groups(RowGroups(count: table.userOffsets.count - 1, table.likes))
    case .owned(let kind):
      let table = Self.table(kind, snapshot)
      var belongings: [UInt32: [UInt32]] = [:]
      for (row, owner) in (snapshot.entities[ranking.candidates]?.owner?.elements ?? []).enumerated() {
        belongings[owner, default: []].append(UInt32(row))
      }
      let likes = table.likes.flatMap { like in
        (belongings[like.member] ?? []).map { (group: like.group, member: $0) }
      }
      self = .groups(RowGroups(count: table.userOffsets.count - 1, likes))
    }
  }

  private static func table(_ kind: String, _ snapshot: Snapshot) -> InteractionTable {
    guard let table = snapshot.interactions[kind] else {
      preconditionFailure("the snapshot does not contain '\(kind)'")
    }
    return table
  }

  /// Returns the rows of the candidates of the user at row `user`, without repetition.
  func of(_ user: Int) -> [UInt32] {
    switch self {
    case .waiting(let waiting): waiting.of(user)
    case .groups(let groups): Array(groups[user])
    }
  }
}

extension InteractionTable {
  /// The pairs of a user and a candidate whose latest interaction is a like.
  fileprivate var likes: [(group: UInt32, member: UInt32)] {
    let (candidates, values) = (candidate.span, value.span)
    var likes: [(group: UInt32, member: UInt32)] = []
    for user in 0..<userOffsets.count - 1 {
      var decided: Set<UInt32> = []
      for index in range(ofUser: user).reversed() where decided.insert(candidates[index]).inserted {
        if values[index] >= likedFrom { likes.append((UInt32(user), candidates[index])) }
      }
    }
    return likes
  }
}
