internal import Features
internal import PipelineFile
internal import Search

/// What an entry of a list is worth, so that entries of different lists can be compared.
///
/// On every list, the values of the candidates fall in the order of the list.
struct EntryValue: Sendable {
  private enum Number: Sendable {
    /// The score, or the chance in the mutual order; the distance on the list of a user without a model.
    case score
    /// One number for each candidate.
    case created([Double])
    case keys(KeyValues)
  }

  private let number: Number
  private let distanceValue: DistanceValue

  init(_ recommender: Recommender) {
    distanceValue = DistanceValue(radiusInKilometers: recommender.ranking.radiusInKilometers)
    switch recommender.search {
    case .newest(let search): number = .created(search.values)
    case .scan(let search):
      number = search.keys.map { .keys($0.values(count: recommender.candidateCount)) } ?? .score
    case .block: number = .score
    }
  }

  /// Returns the value of `candidate` on the list of a user.
  ///
  /// - Parameters:
  ///   - candidate: The row of the candidate.
  ///   - sortKey: The score, or in the mutual order the chance that both like each other; `nil` without a model.
  ///   - distance: The distance in kilometers; NaN if it is unknown.
  /// - Returns: The value. It never rises from one place of a list to the next.
  func value(_ candidate: Int, sortKey: Double?, distance: Double) -> Double {
    switch number {
    case .score: sortKey ?? distanceValue.value(distance)
    case .created(let values): values[candidate]
    case .keys(let keys): keys.value(candidate, score: sortKey, distance: distanceValue.value(distance))
    }
  }

  /// Returns the entry of a list that shows `found` to the user with `view`.
  func entry(_ found: Recommendation, _ view: UserView) -> PoolEntry {
    // The lists of the mutual order do not show scores.
    let score = found.score ?? view.scorer?.score(candidate: found.candidate, distance: found.distance)
    let key = score.map { view.sortKey(candidate: found.candidate, distance: found.distance, score: $0) }
    return PoolEntry(
      found: found, value: value(found.candidate, sortKey: key, distance: found.distance),
      chance: Float(score.map(MutualChance.ofLike) ?? MutualChance.unknown))
  }
}

/// A candidate who may be on a list, in the pool of the list.
struct PoolEntry: Sendable {
  var found: Recommendation
  /// What the candidate is worth on this list.
  var value: Double
  /// The chance that the user likes the candidate; `MutualChance.unknown` without a score.
  var chance: Float
}
