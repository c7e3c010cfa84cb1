internal import Columns
internal import PipelineFile
internal import RunSchemas

/// The wishes of one ranking, bound to a snapshot: conditions on candidates that depend on the user's values.
///
/// This type is a class because all threads share it. Copying a struct would update the reference counts of
/// all columns for each user.
final class Wishes: Sendable {
  /// One wish of the ranking, with one value per row for each side.
  private enum WishColumns: Sendable {
    /// The numbers of both sides. A missing number is NaN.
    case numbers(own: [Double], candidates: [Double], Pipeline.Wish.Relation)
    /// The words of both sides. `codes` maps the users' codes to the candidates' codes; `nil` for a word that
    /// no candidate has.
    case words(own: RowWords, candidates: RowWords, codes: [UInt32?], Pipeline.Wish.Relation)
  }

  /// The values of each exclusion of the ranking, by index; `nil` for an exclusion that is not a wish.
  private let columns: [WishColumns?]

  /// Reads the values of both sides of each wish.
  ///
  /// - Returns: The wishes, or `nil` if the ranking has none.
  init?(_ ranking: Pipeline.Ranking, _ snapshot: Snapshot) {
    guard let users = snapshot.entities[ranking.users], let candidates = snapshot.entities[ranking.candidates]
    else { preconditionFailure("the snapshot does not contain the entities that '\(ranking.name)' ranks") }
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
    preconditionFailure(
      "the snapshot does not contain the attribute '\(wish.user)' or the attribute '\(wish.candidate)'")
  }

  /// Returns one element per exclusion of the ranking: the wish of the user at row `user`, or `nil` if the
  /// exclusion is not a wish or the user lacks the value for it.
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

/// One user's wish about a candidate.
enum UserWish: Sendable {
  /// The candidate's number or date must be in the range. The array contains one value per candidate; a
  /// missing value is NaN.
  case within(ClosedRange<Double>, [Double])
  /// The number of words that the user and the candidate share must be in the range. The array contains the
  /// user's words as ascending codes of the candidates' words.
  case sharing(ClosedRange<Int>, [UInt32], RowWords)

  func isMet(by candidate: Int) -> Bool {
    switch self {
    case .within(let range, let values): range.contains(values[candidate])
    case .sharing(let count, let codes, let words): count.contains(words.shared(codes, by: candidate))
    }
  }
}

extension EntityTable {
  /// Returns the values of the attribute `name`, one element per row; `nil` if the table has no such
  /// attribute. A value is an exported or computed number, or a date in milliseconds since 1970 UTC, which a
  /// `Double` represents exactly. A missing value is NaN.
  fileprivate func measures(_ name: String) -> [Double]? {
    number(name)?.elements ?? dates[name]?.elements.map { $0 == .min ? .nan : Double($0) }
  }
}
