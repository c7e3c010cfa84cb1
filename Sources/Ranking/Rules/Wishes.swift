internal import Columns
internal import PipelineFile
internal import RunSchemas

/// What users wish of candidates by values of their own: the wishes of a ranking, bound to a snapshot.
///
/// One for all threads, and so a class, as `CandidateKeys` is.
final class Wishes: Sendable {
  /// One wish of the ranking, with the values of both sides by row.
  private enum WishColumns: Sendable {
    /// NaN is missing.
    case numbers(own: [Double], candidates: [Double], Pipeline.Wish.Relation)
    /// With the candidates' code of each word of the users; `nil` where no candidate has it.
    case words(own: RowWords, candidates: RowWords, codes: [UInt32?], Pipeline.Wish.Relation)
  }

  /// By index of the ranking's exclusions; `nil` for any other exclusion.
  private let columns: [WishColumns?]

  /// - Returns: `nil` where the ranking has no wishes.
  init?(_ ranking: Pipeline.Ranking, _ snapshot: Snapshot) {
    guard let users = snapshot.entities[ranking.users], let candidates = snapshot.entities[ranking.candidates]
    else { preconditionFailure("the snapshot does not hold what '\(ranking.name)' ranks") }
    columns = ranking.exclusions.map { exclusion in
      guard case .unwished(let wish) = exclusion else { return nil }
      return Self.columns(wish, users, candidates)
    }
    guard columns.contains(where: { $0 != nil }) else { return nil }
  }

  private static func columns(
    _ wish: Pipeline.Wish, _ users: EntityTable, _ candidates: EntityTable
  ) -> WishColumns {
    switch wish.relation {
    case .atMost, .atLeast:
      if let own = users.measures(wish.user), let others = candidates.measures(wish.candidate) {
        return .numbers(own: own, candidates: others, wish.relation)
      }
    case .anyOf, .allOf, .noneOf:
      if let own = RowWords(wish.user, of: users), let others = RowWords(wish.candidate, of: candidates) {
        return .words(own: own, candidates: others, codes: own.codes(in: others), wish.relation)
      }
    }
    preconditionFailure("the snapshot does not hold '\(wish.user)' or '\(wish.candidate)'")
  }

  /// By index of the exclusion: what the user at row `user` wishes; `nil` for nothing.
  func of(user: Int) -> [UserWish?] {
    columns.map { columns in
      switch columns {
      case nil: return nil
      case .numbers(let own, let candidates, let relation):
        guard !own[user].isNaN else { return nil }
        return .within(relation == .atMost ? -.infinity...own[user] : own[user]...(.infinity), candidates)
      case .words(let own, let candidates, let codes, let relation):
        let words = own[user]
        guard !words.isEmpty else { return nil }
        let shared: ClosedRange<Int> =
          switch relation {
          case .allOf: words.count...words.count
          case .noneOf: 0...0
          case .anyOf, .atMost, .atLeast: 1...words.count
          }
        return .sharing(shared, words.compactMap { codes[Int($0)] }, candidates)
      }
    }
  }
}

/// What one user wishes of candidates.
enum UserWish: Sendable {
  /// A number or date in a range; the values by candidate, NaN for a candidate without one.
  case within(ClosedRange<Double>, [Double])
  /// So many words in common with these, which are ascending codes of the candidates' words.
  case sharing(ClosedRange<Int>, [UInt32], RowWords)

  func isMet(by candidate: Int) -> Bool {
    switch self {
    case .within(let range, let values): range.contains(values[candidate])
    case .sharing(let count, let codes, let words): count.contains(words.shared(codes, by: candidate))
    }
  }
}

extension EntityTable {
  /// By row: the exported or computed number, or the date `name` in milliseconds since 1970 UTC, which is a double exactly; NaN
  /// where it is missing. `nil` where there is no such attribute.
  fileprivate func measures(_ name: String) -> [Double]? {
    number(name)?.elements ?? dates[name]?.elements.map { $0 == .min ? .nan : Double($0) }
  }
}
