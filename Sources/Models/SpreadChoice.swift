internal import Columns
internal import Concurrency
internal import LeastSquares
internal import RunSchemas

/// Chooses how far users' own coefficients may differ from the population's coefficients, by ranking held-out
/// rows.
///
/// The estimated variances maximize the likelihood, but lists depend only on the order of candidates. So the
/// learning rows are split into three parts. The prior and the models are fitted on two parts, and they rank
/// each user's rows of the third part. The measure is the concordance: among the pairs of rows with different
/// values, the share that the predictions order correctly. Both rows of a pair are always in the same part. A
/// model that omits a row predicts a mean that is shifted away from the row's value, so rows of different
/// parts are not comparable. The procedure runs four times with different splits.
///
/// The chosen factor is the smallest one with a concordance within one standard error, over users, of the
/// best concordance. Differences between users therefore need evidence (the one-standard-error rule: Breiman
/// et al. 1984, Classification and regression trees, 3.4).
struct SpreadChoice: Sendable {
  /// The tried factors of the standard deviations. With 0, only the base differs between users.
  static let factors = [0, 0.1, 0.3, 1]
  static let parts = 3
  static let repetitions = 4
  /// The number of rows at which the sampling of users stops. A mean over thousands of users is accurate
  /// enough.
  static let mostRows = 200_000
  /// The maximum number of rows per user; the newest rows are used. The comparison averages over users, so
  /// more rows of one user add little accuracy.
  static let mostRowsPerUser = 1000

  let fitting: SharedFitting
  let scales: ColumnScales
  let estimation: PriorEstimation
  let start: GaussianPrior

  struct Tried: Sendable {
    var factor: Double
    /// The mean concordance over users.
    var concordance: Double
    /// The difference from the best concordance. `standardError` is the standard error of this difference
    /// over users.
    var loss: Double
    var standardError: Double
  }

  struct Outcome: Sendable {
    var factor: Double
    /// The number of compared users: those who have rows with different values in the same part.
    var users: Int
    var tried: [Tried]
  }

  /// Compares all factors on `users`, which are in ascending order. If fewer than two users have rows with
  /// different values in the same part, the factor is 0.
  ///
  /// - Throws: `LeastSquaresError`, which indicates a bug.
  func choose(_ users: [Int]) throws(LeastSquaresError) -> Outcome {
    // For each user: the sum of the concordances under each factor, and the number of compared parts.
    var totals = users.map { _ in [Double](repeating: 0, count: Self.factors.count) }
    var counts = users.map { _ in 0.0 }
    for repetition in 0..<Self.repetitions {
      let cut = cut(users, repetition)
      for part in 0..<Self.parts {
        for (place, scores) in try compare(cut, leavingOut: part).enumerated() {
          guard let scores else { continue }
          for factor in scores.indices { totals[place][factor] += scores[factor] }
          counts[place] += 1
        }
      }
    }
    let means = users.indices.filter { counts[$0] > 0 }.map { place in
      totals[place].map { $0 / counts[place] }
    }
    guard means.count > 1 else { return Outcome(factor: 0, users: means.count, tried: []) }
    let number = Double(means.count)
    let overall = Self.factors.indices.map { factor in means.reduce(0) { $0 + $1[factor] } / number }
    let best = Self.factors.indices.reduce(0) { overall[$1] > overall[$0] ? $1 : $0 }
    let tried = Self.factors.indices.map { factor in
      let loss = overall[best] - overall[factor]
      let squares = means.reduce(0) { sum, own in
        let difference = own[best] - own[factor] - loss
        return sum + difference * difference
      }
      return Tried(
        factor: Self.factors[factor], concordance: overall[factor], loss: loss,
        standardError: (squares / (number - 1) / number).squareRoot())
    }
    let chosen = tried.first { $0.loss <= $0.standardError } ?? tried[best]
    return Outcome(factor: chosen.factor, users: means.count, tried: tried)
  }

  /// A learning row with the number of its part.
  struct CutRow: Sendable {
    var part: Int
    var z: [Double]
    var value: Double
  }

  /// Returns the newest rows of each user, split into parts by a hash of the ids of user and candidate. The
  /// part of a row does not depend on other rows, and repeated interactions of a pair are in one part.
  func cut(_ users: [Int], _ repetition: Int) -> [[CutRow]] {
    let (rows, ids, candidates) = (fitting.rows, fitting.users.ids, fitting.candidates.ids)
    let seed = Mix64.finalized(fitting.seed &+ UInt64(repetition))
    let chunks = parallelMap(count: users.count, chunkSize: 64, threads: fitting.threads) { chunk in
      var reader = rows.reader()
      var z = [Double](repeating: 0, count: scales.parameterCount)
      return chunk.map { place in
        let user = users[place]
        let own = Mix64.hash(ids.bytes(user))
        return rows.table.range(ofUser: user).suffix(Self.mostRowsPerUser).map { index in
          reader.read(index, of: user)
          scales.standardize(reader.values, into: &z)
          let candidate = Mix64.hash(candidates.bytes(Int(rows.table.candidate[index])))
          return CutRow(
            part: Int(Mix64.pair(own, candidate, seed: seed) % UInt64(Self.parts)), z: z,
            value: scales.response(rows.table.value[index]))
        }
      }
    }
    return chunks.flatMap { $0 }
  }

  /// Returns, for each user, the concordance within `part` under each factor, learned on the other parts. An
  /// element is `nil` if the user's rows in `part` do not have two different values.
  private func compare(_ users: [[CutRow]], leavingOut part: Int) throws(LeastSquaresError) -> [[Double]?] {
    // Sums are recomputed for each part, because the rows take less memory than the sums of all parts.
    let sums = parallelMap(count: users.count, chunkSize: 64, threads: fitting.threads) { chunk in
      chunk.map { place in
        var sums = SumsOfProducts(order: scales.parameterCount)
        for row in users[place] where row.part != part { sums.add(row.z, row.value) }
        return sums
      }
    }
    let learned = sums.flatMap { $0 }
    let prior = try estimation.estimate(learned, from: start).prior
    let chunks = try parallelMap(count: users.count, chunkSize: 64, threads: fitting.threads) {
      (chunk) throws(LeastSquaresError) in
      var posteriors = Self.factors.map { Posterior(prior.spread(by: $0)) }
      var compared: [[Double]?] = []
      for place in chunk {
        let left = users[place].filter { $0.part == part }
        guard let first = left.first, left.contains(where: { $0.value != first.value }) else {
          compared.append(nil)
          continue
        }
        var scores: [Double] = []
        for factor in posteriors.indices {
          try posteriors[factor].factor(learned[place])
          posteriors[factor].solve(learned[place])
          let mean = posteriors[factor].mean
          let predicted = left.map { row in
            (prediction: zip(row.z, mean).reduce(0) { $0 + $1.0 * $1.1 }, value: row.value)
          }
          scores.append(concordance(predicted) ?? 0.5)
        }
        compared.append(scores)
      }
      return compared
    }
    return chunks.flatMap { $0 }
  }
}
