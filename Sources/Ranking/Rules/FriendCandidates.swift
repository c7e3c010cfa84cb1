internal import Columns
internal import PipelineFile
internal import RunSchemas

/// The candidates that are friends of a user, or belong to friends. An accepted request makes both sides
/// friends.
struct FriendCandidates: Sendable {
  /// The rows of candidates, grouped by row of the user.
  private let candidates: RowGroups

  init(_ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot) {
    let table = snapshot.entities[ranking.candidates]
    let owner = pipeline.entity(ranking.candidates)?.owner?.entity
    var belongings: [UInt32: [UInt32]] = [:]
    for (row, owner) in (owner == nil ? [] : table?.owner?.elements ?? []).enumerated() {
      belongings[owner, default: []].append(UInt32(row))
    }
    var pairs: [(UInt32, UInt32)] = []
    func add(_ user: UInt32, _ friend: UInt32, of entity: String) {
      if entity == ranking.candidates { pairs.append((user, friend)) }
      if entity == owner { pairs += (belongings[friend] ?? []).map { (user, $0) } }
    }
    for kind in pipeline.requests {
      let requests = CurrentRequests(kind, pipeline, snapshot)
      for request in requests.all(.accepted) {
        if requests.askers == ranking.users {
          add(request.user, request.addressee, of: requests.addressees)
        }
        if requests.addressees == ranking.users {
          add(request.addressee, request.user, of: requests.askers)
        }
      }
    }
    candidates = RowGroups(count: snapshot.entities[ranking.users]?.count ?? 0, pairs)
  }

  /// Returns the rows of the candidates for the user at row `user`, ascending.
  func of(user: Int) -> ArraySlice<UInt32> { candidates[user] }
}
