internal import PipelineFile
internal import Text

/// The counts of users, lists and candidates of one ranking.
struct ListCounts: Sendable {
  let ranking: Pipeline.Ranking
  private let counts: JSONValue

  init(ranking: Pipeline.Ranking, counts: JSONValue) { (self.ranking, self.counts) = (ranking, counts) }

  private func users(_ key: String) -> Int { counts["users"]?[key]?.integerValue ?? 0 }
  private func pairs(_ key: String) -> Int { counts["candidates"]?[key]?.integerValue ?? 0 }

  var users: Int { users("total") }
  var full: Int { users("full_lists") }
  var empty: Int { users("empty_lists") }

  /// The reasons for short lists, most frequent first.
  var shortfalls: [(reason: String, lists: Int)] {
    (counts["users"]?["shortfall"]?.members ?? [:]).map { ($0.key, $0.value.integerValue ?? 0) }
      .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }

  /// The number of users whose pairs with candidates are in the counts.
  var countedUsers: Int { pairs("counted_users") }

  /// For each rule, the number of pairs of a user and a candidate that the rule removed. Exclusion rules are
  /// in alphabetical order.
  var lost: [(rule: String, pairs: Int)] {
    let excluded = (counts["candidates"]?["excluded"]?.members ?? [:]).sorted { $0.key < $1.key }
      .map { ($0.key, $0.value.integerValue ?? 0) }
    return [("out_of_reach", pairs("out_of_reach"))] + excluded
      + [("not_above_minimum", pairs("not_above_minimum")), ("beyond_top", pairs("beyond_top"))]
  }

  /// The numbers of candidates at the maximum and below the minimum exposure, and the total value of the
  /// lists as a share of the value without limits. `nil` for a ranking without limits on exposure.
  var exposure: (atCeiling: Int, belowFloor: Int, shareOfValue: Double?)? {
    guard let exposure = counts["exposure"] else { return nil }
    let value = exposure["value"]?.numberValue ?? 0
    let unlimited = exposure["value_without_limits"]?.numberValue ?? 0
    return (
      exposure["at_ceiling"]?.integerValue ?? 0, exposure["below_floor"]?.integerValue ?? 0,
      unlimited > 0 ? value / unlimited : nil
    )
  }

  var allPairs: Int { pairs("pairs") }
  var listedPairs: Int { pairs("listed") }
}

extension ListCounts {
  /// The share of users with at least one entry on their lists; 0 without users.
  var shareServed: Double { users == 0 ? 0 : Double(users - empty) / Double(users) }

  /// The share of users with a full list; 0 without users.
  var shareFull: Double { users == 0 ? 0 : Double(full) / Double(users) }
}
