internal import Columns
internal import PipelineFile
internal import RunSchemas

/// The candidates that wait for a user's answer, in a ranking with `pending`.
enum WaitingCandidates: Sendable {
  /// The requesters of each addressee, grouped by row of the addressee.
  case requests(RowGroups)
  /// The interactions of one kind. If `isMutual`, users and candidates are the same entity, so a user can
  /// answer an interaction with another interaction of this kind.
  case likes(ReceivedInteractions, isMutual: Bool)

  init(_ pending: Pipeline.Pending, _ pipeline: Pipeline, _ snapshot: Snapshot) {
    switch pending {
    case .requests(let name):
      guard let kind = pipeline.requests(name) else {
        preconditionFailure("'pending' must name requests of the pipeline file")
      }
      let requests = CurrentRequests(kind, pipeline, snapshot)
      self = .requests(
        RowGroups(
          count: snapshot.entities[requests.addressees]?.count ?? 0,
          requests.all(.pending).map { ($0.addressee, $0.user) }))
    case .likes(let name):
      guard let kind = pipeline.interaction(name), let table = snapshot.interactions[name] else {
        preconditionFailure("the snapshot does not contain '\(name)'")
      }
      self = .likes(
        ReceivedInteractions(table), isMutual: kind.user.entity == kind.candidate.entity)
    }
  }

  /// Returns the rows of the candidates that wait for the answer of the user at row `user`, without
  /// repetition.
  ///
  /// For likes, a candidate waits if its latest interaction with the user is a like and the user has never
  /// interacted with the candidate. Any interaction of the same kind counts as the user's answer, even if it
  /// is older than the like. If users and candidates are different entities, no interaction counts as an
  /// answer.
  ///
  /// - Complexity: O(g + r) for g given and r received interactions of the user.
  func of(_ user: Int) -> [UInt32] {
    switch self {
    case .requests(let waiting): return Array(waiting[user])
    case .likes(let received, let isMutual):
      let given = received.table
      let candidates = given.candidate.span
      var answered: Set<UInt32> = []
      if isMutual { for index in given.range(ofUser: user) { answered.insert(candidates[index]) } }
      var waiting: [UInt32] = []
      received.forEachLike(of: user) { if !answered.contains($0) { waiting.append($0) } }
      return waiting
    }
  }
}
