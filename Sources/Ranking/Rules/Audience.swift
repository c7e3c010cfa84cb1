internal import Columns
package import PipelineFile
package import RunSchemas
package import Text

/// The users with lists under a ranking: the users who meet the conditions of `for`. In a ranking with `asked`,
/// a user must also ask for at least one word.
package struct Audience: Sendable {
  /// Whether each user has lists, one element per row; `nil` if all users have lists.
  private let isListed: [Bool]?

  package init(_ ranking: Pipeline.Ranking, _ users: EntityTable, asOf: Instant) {
    let asked = ranking.asked.flatMap { users.tags[$0] }
    guard !ranking.audience.isEmpty || asked != nil else {
      isListed = nil
      return
    }
    var isListed = [Bool](repeating: true, count: users.count)
    for condition in ranking.audience {
      let meets = users.meets(condition, asOf: asOf)
      for row in isListed.indices where !meets[row] { isListed[row] = false }
    }
    if let asked { for row in isListed.indices where asked.range(row).isEmpty { isListed[row] = false } }
    self.isListed = isListed
  }

  package func contains(_ user: Int) -> Bool { isListed?[user] ?? true }
}
