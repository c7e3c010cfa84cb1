internal import PipelineFile
internal import Tables

/// Which users have lists under a ranking: `for`.
struct Audience: Sendable {
  /// By row of the user; `nil` where all have lists.
  private let isListed: [Bool]?

  init(_ ranking: Pipeline.Ranking, _ users: EntityTable, asOf: Instant) {
    guard !ranking.audience.isEmpty else {
      isListed = nil
      return
    }
    var isListed = [Bool](repeating: true, count: users.count)
    for condition in ranking.audience {
      let meets = users.meets(condition, asOf: asOf)
      for row in isListed.indices where !meets[row] { isListed[row] = false }
    }
    self.isListed = isListed
  }

  func contains(_ user: Int) -> Bool { isListed?[user] ?? true }
}
