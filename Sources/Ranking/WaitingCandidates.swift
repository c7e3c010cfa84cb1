internal import PipelineFile
internal import Tables

/// Who waits for the answer of whom: `pending`.
enum WaitingCandidates: Sendable {
  /// By row of who is asked: who asks.
  case requests(RowGroups)
  /// Of one kind. `isMutual`: users and candidates are of one kind of entity, so that interactions answer interactions.
  case likes(InteractionTable, isMutual: Bool)

  init(_ pending: Pipeline.Pending, _ pipeline: Pipeline, _ snapshot: Snapshot) {
    switch pending {
    case .requests(let name):
      guard let kind = pipeline.requests(name) else { preconditionFailure("a checked name of requests") }
      let requests = CurrentRequests(kind, pipeline, snapshot)
      self = .requests(
        RowGroups(
          count: snapshot.entities[requests.addressees]?.count ?? 0,
          requests.all(.pending).map { ($0.addressee, $0.user) }))
    case .likes(let name):
      guard let kind = pipeline.interaction(name), let table = snapshot.interactions[name] else {
        preconditionFailure("the snapshot does not hold '\(name)'")
      }
      self = .likes(table, isMutual: kind.user.entity == kind.candidate.entity)
    }
  }

  /// Rows of those who wait for the answer of the one at row `user`, each once.
  ///
  /// Whoever's latest interaction is a like waits, unless the user has ever interacted with them: that was the answer,
  /// also where it came first.
  ///
  /// - Complexity: O(g + r), with the g interactions that the user gave and the r received.
  func of(_ user: Int) -> [UInt32] {
    switch self {
    case .requests(let waiting): return Array(waiting[user])
    case .likes(let table, let isMutual):
      let candidates = table.candidate.span
      var answered: Set<UInt32> = []
      if isMutual { for index in table.range(ofUser: user) { answered.insert(candidates[index]) } }
      let (users, values, byCandidate) = (table.user.span, table.value.span, table.byCandidate.span)
      let range = table.range(ofCandidate: user)
      var waiting: [UInt32] = []
      for position in range {
        // A giver's interactions stand together in the order of time, so the last of them is the latest.
        let index = Int(byCandidate[position])
        let isLatest =
          position + 1 == range.upperBound || users[Int(byCandidate[position + 1])] != users[index]
        if isLatest, values[index] >= table.likedFrom, !answered.contains(users[index]) {
          waiting.append(users[index])
        }
      }
      return waiting
    }
  }
}
