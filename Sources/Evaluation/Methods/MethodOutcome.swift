internal import Concurrency

/// The lists of one method as of the cut, and its scores for the later decisions.
struct MethodOutcome: Sendable {
  private(set) var method: Method
  private(set) var lists = MethodLists()
  /// The score of each decision. Scores are finite, a higher score is better, and only the scores of one user
  /// are comparable.
  private(set) var scores: [Double] = []
  /// The predicted probability of a like for each decision; NaN if the method does not predict one.
  private(set) var probabilities: [Double] = []
  /// The number of candidates in reach of each user; 0 for `RandomRanker`, which does not count these
  /// candidates.
  private(set) var inReach: [Int] = []

  /// Computes the lists of all users, and the scores of all later decisions.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - ranker: Ranks and scores the candidates by the method.
  ///   - decisions: The decisions after the cut.
  ///   - scale: Converts scores to probabilities; `nil` if the method predicts no probabilities.
  ///   - threads: The number of workers; the result does not depend on it.
  init(
    _ method: Method, _ ranker: some MethodRanker, _ decisions: LaterDecisions, scale: ProbabilityScale?,
    threads: Int
  ) {
    self.method = method
    for (list, inReach) in ranker.lists(threads: threads) {
      lists.append(list)
      self.inReach.append(inReach)
    }
    let parts = parallelMap(count: decisions.userCount, chunkSize: 256, threads: threads) { chunk in
      var part: (scores: [Double], probabilities: [Double]) = ([], [])
      for user in chunk {
        let range = decisions.range(ofUser: user)
        guard !range.isEmpty else { continue }
        for score in ranker.scores(of: user, candidates: decisions.candidates[range]) {
          part.scores.append(score.orders)
          part.probabilities.append(score.predicts.flatMap { scale?.probability(of: $0) } ?? .nan)
        }
      }
      return part
    }
    for part in parts {
      scores += part.scores
      probabilities += part.probabilities
    }
  }

  /// Returns a copy of this outcome with the name of `method`.
  func renamed(_ method: Method) -> MethodOutcome {
    var outcome = self
    outcome.method = method
    return outcome
  }
}

/// Ranks candidates for every user, and scores any pair of a user and a candidate.
protocol MethodRanker: Sendable {
  /// Returns the list of each user, best candidate first, with distances in kilometers, and the number of
  /// candidates in reach. The number is 0 if the ranker does not count the candidates in reach.
  func lists(threads: Int) -> [(list: [(candidate: Int, distance: Double)], inReach: Int)]

  /// Returns the sort key of each candidate for `user` and the predicted value. A higher sort key is better.
  /// The predicted value is `nil` if the method predicts no value.
  func scores(of user: Int, candidates: ArraySlice<UInt32>) -> [(orders: Double, predicts: Double?)]
}

/// A linear scale from predicted values to probabilities of a like.
struct ProbabilityScale: Hashable, Sendable {
  /// The value of a pass, which has the probability 0.
  let pass: Double
  /// The value of a like, which has the probability 1.
  let like: Double

  func probability(of value: Double) -> Double { (value - pass) / (like - pass) }

  /// Creates the scale for the values of the learning interactions. Returns `nil` unless the values are
  /// exactly two distinct numbers: one for passes and one for likes.
  init?(of values: [Double], likedFrom: Double) {
    let distinct = Set(values)
    guard distinct.count == 2, let low = distinct.min(), let high = distinct.max(), low < likedFrom,
      high >= likedFrom
    else {
      return nil
    }
    (pass, like) = (low, high)
  }

  init(pass: Double, like: Double) {
    (self.pass, self.like) = (pass, like)
  }
}
