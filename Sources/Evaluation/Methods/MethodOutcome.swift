internal import Concurrency

/// What one method did as of the cut: its lists, and its scores of what was decided later.
struct MethodOutcome: Sendable {
  private(set) var method: Method
  private(set) var lists = MethodLists()
  /// By decision: finite, higher is better; comparable among the decisions of one user.
  private(set) var scores: [Double] = []
  /// By decision: the predicted probability of a like; NaN where the method predicts none.
  private(set) var probabilities: [Double] = []
  /// By user: how many candidates were in reach.
  private(set) var inReach: [Int] = []

  /// - Parameters:
  ///   - method: The method.
  ///   - ranker: Ranks and scores the candidates by the method.
  ///   - decisions: The decisions after the cut.
  ///   - scale: Converts scores to probabilities; `nil` if scores are not on such a scale.
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

  /// The same under another name.
  func renamed(_ method: Method) -> MethodOutcome {
    var outcome = self
    outcome.method = method
    return outcome
  }
}

/// Ranks candidates for every user, and scores any pair.
protocol MethodRanker: Sendable {
  /// By user: the list, best first, and how many candidates were in reach.
  func lists(threads: Int) -> [(list: [(candidate: Int, distance: Double)], inReach: Int)]

  /// By candidate: what orders them for `user`, and the value that is predicted, where one is.
  func scores(of user: Int, candidates: ArraySlice<UInt32>) -> [(orders: Double, predicts: Double?)]
}

/// A linear scale from predicted values to probabilities of a like.
struct ProbabilityScale: Hashable, Sendable {
  /// The values that mean a pass and a like.
  let pass: Double
  let like: Double

  func probability(of value: Double) -> Double { (value - pass) / (like - pass) }

  /// The scale of what is learned from, where interactions have two values, one above 0 and one not; else `nil`.
  init?(of values: [Double]) {
    let distinct = Set(values)
    guard distinct.count == 2, let low = distinct.min(), let high = distinct.max(), low <= 0, high > 0 else {
      return nil
    }
    (pass, like) = (low, high)
  }

  init(pass: Double, like: Double) {
    (self.pass, self.like) = (pass, like)
  }
}
