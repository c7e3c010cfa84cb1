internal import Columns
internal import Concurrency
internal import Features
internal import PipelineFile
internal import RunSchemas

/// The chances that two people like each other, for all pairs of people of one entity.
struct MutualScores: Sendable {
  let order: Pipeline.MutualOrder
  /// The predictions of each person; `nil` for a person without a model.
  private let scorers: [Scorer?]
  /// The decisions that candidates have made about users; `nil` if the order ignores them.
  private let received: ReceivedInteractions?

  /// Reads the models of all people, and the known decisions.
  ///
  /// - Parameters:
  ///   - order: The settings of the mutual order.
  ///   - models: The models of all people, and the feature space of their columns.
  ///   - decisions: The interactions from which the models were learned.
  ///   - threads: The number of threads; the result does not depend on it.
  init(
    _ order: Pipeline.MutualOrder, _ models: (space: FeatureSpace, table: ModelTable),
    decisions: InteractionTable, threads: Int
  ) {
    self.order = order
    scorers = parallelMap(count: models.table.count, chunkSize: 256, threads: threads) { chunk in
      chunk.map { person in models.table[person].map { Scorer($0, of: person, in: models.space) } }
    }.flatMap(\.self)
    received = order.known == .ignore ? nil : ReceivedInteractions(decisions)
  }

  /// Returns the chances that `user` and each candidate like each other; `nil` for a user without a model.
  func ofUser(_ user: Int) -> UserMutualScores? {
    guard let own = scorers[user] else { return nil }
    var known: [UInt32: Double] = [:]
    if let received {
      received.forEachLatest(of: user) { known[$0] = MutualChance.known($1, in: received.table, order) }
    }
    return UserMutualScores(user: user, own: own, known: known, all: self)
  }

  /// Returns the predicted chance that `person` likes `other`; `MutualChance.unknown` if `person` has no
  /// model.
  fileprivate func chance(of person: Int, for other: Int, distance: Double) -> Double {
    scorers[person].map { MutualChance.ofLike($0.score(candidate: other, distance: distance)) }
      ?? MutualChance.unknown
  }
}

/// The chances that one user and each candidate like each other.
struct UserMutualScores: Sendable {
  private let user: Int
  /// The user's own predictions.
  let own: Scorer
  /// The known decisions of candidates about the user, as chances from 0 to 1, by row of the candidate.
  private let known: [UInt32: Double]
  private let all: MutualScores

  fileprivate init(user: Int, own: Scorer, known: [UInt32: Double], all: MutualScores) {
    (self.user, self.own, self.known, self.all) = (user, own, known, all)
  }

  /// Returns the chance that the candidate likes the user, from 0 to 1.
  func chance(ofCandidate candidate: Int, distance: Double) -> Double {
    known[UInt32(candidate)] ?? all.chance(of: candidate, for: user, distance: distance)
  }

  /// Returns the chance that both like each other, from 0 to 1. The settings of the order contain an exponent
  /// for the candidate's chance. `score` is the user's own score of the candidate.
  func mutualChance(candidate: Int, distance: Double, own score: Double) -> Double {
    MutualChance.ofBoth(
      user: MutualChance.ofLike(score), candidate: chance(ofCandidate: candidate, distance: distance),
      all.order)
  }
}
