internal import Features
internal import PipelineFile
internal import Search

/// What an entry of a list is worth, so that entries of different lists can be compared.
struct EntryValue: Sendable {
  private enum Number: Sendable {
    /// The score on the list.
    case score
    /// The number that orders a mutual list, which the list does not show.
    case mutualChance
    /// The place on the list, because the order has no number that means the same for all users.
    case place
  }

  private let number: Number

  /// A step down a list without such numbers costs this much.
  private static let step: Float = 0.001
  /// The value of the last places of such a list.
  private static let least: Float = -1

  init(_ order: Pipeline.Order) {
    number =
      switch order {
      case .score, .discovery: .score
      case .mutual: .mutualChance
      case .distance, .newest, .keys: .place
      }
  }

  /// The entries of a pool, with the values of `found`, which are best first. Without numbers, for example of a
  /// user without a model, the values are 0, -0.001, -0.002 and so on, down to -1.
  func entries(_ found: [Recommendation], _ view: () -> UserView) -> [PoolEntry] {
    let view = number == .mutualChance && !found.isEmpty ? view() : nil
    return found.enumerated().map { place, found in
      entry(found, view, orElse: max(Self.least, -Float(place) * Self.step))
    }
  }

  /// The entry of a candidate beyond the best of a pool.
  func entry(_ found: Recommendation, _ view: UserView) -> PoolEntry {
    entry(found, view, orElse: Self.least)
  }

  private func entry(
    _ found: Recommendation, _ view: UserView?, orElse other: Float
  ) -> PoolEntry {
    var value = number == .score ? found.score : nil
    var own = found.score
    if number == .mutualChance, let view, let score = view.score(candidate: found.candidate).score {
      own = score
      value = view.sortKey(candidate: found.candidate, distance: found.distance, score: score)
    }
    return PoolEntry(
      found: found, value: value.map { Float($0) } ?? other,
      chance: Float(own.map(MutualChance.ofLike) ?? MutualChance.unknown))
  }
}

/// A candidate who may be on a list, in the pool of the list.
struct PoolEntry: Sendable {
  var found: Recommendation
  /// What the candidate is worth on this list.
  var value: Float
  /// The chance that the user likes the candidate, if scores determine chances.
  var chance: Float

  /// Whether a list has this entry before `other`. Distances decide between equal values, and then rows.
  func precedes(_ other: PoolEntry) -> Bool {
    if value != other.value { return value > other.value }
    return RecommendationOrder.precedesByDistance(found, other.found)
      ?? (found.candidate < other.found.candidate)
  }
}
