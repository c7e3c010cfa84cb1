internal import Features
internal import PipelineFile
internal import Search

/// What an entry of a list is worth, so that entries of different lists can be compared.
struct EntryValue: Sendable {
  private enum Number: Sendable {
    /// The score on the list.
    case score
    /// The chance that both sides like each other, which orders a mutual list and which the list does not show.
    case mutualChance
    /// The place on the list, because the order has no number that means the same for all users.
    case place
  }

  private let number: Number

  /// Each place further down a list without such numbers lowers the value by this much.
  private static let step = 0.001
  /// The value of the last places of such a list.
  private static let least = -1.0

  init(_ order: Pipeline.Order) {
    number =
      switch order {
      case .score, .discovery: .score
      case .mutual: .mutualChance
      case .distance, .newest, .keys: .place
      }
  }

  /// Whether values are scores or chances. The list of a user without a model has neither, so that places count.
  var isScored: Bool { number != .place }

  /// The entries of a list, with the values of `found`, which are best first. Without scores, the values are 0,
  /// -0.001, -0.002 and so on, down to -1.
  func entries(_ found: [Recommendation], _ view: () -> UserView) -> [PoolEntry] {
    let view = number == .mutualChance && !found.isEmpty ? view() : nil
    return found.enumerated().map { place, found in
      entry(found, view, orElse: max(Self.least, -Double(place) * Self.step))
    }
  }

  /// The entry of a candidate who is not among the best of the list.
  func entry(_ found: Recommendation, _ view: UserView) -> PoolEntry {
    entry(found, view, orElse: Self.least)
  }

  private func entry(_ found: Recommendation, _ view: UserView?, orElse other: Double) -> PoolEntry {
    var value = number == .score ? found.score : nil
    var own = found.score
    if number == .mutualChance, let view, let score = view.score(candidate: found.candidate).score {
      own = score
      value = view.sortKey(candidate: found.candidate, distance: found.distance, score: score)
    }
    return PoolEntry(
      found: found, value: value ?? other, isScored: value != nil,
      chance: Float(own.map(MutualChance.ofLike) ?? MutualChance.unknown))
  }
}

/// A candidate who may be on a list, in the pool of the list.
struct PoolEntry: Sendable {
  var found: Recommendation
  /// What the candidate is worth on this list.
  var value: Double
  /// Whether the value is a score or a chance, and not a place.
  var isScored: Bool
  /// The chance that the user likes the candidate; `MutualChance.unknown` without a score.
  var chance: Float
}
