internal import Features
internal import LeastSquares
internal import RunSchemas
internal import Text

// With `choose: within_learning`, the learning rows determine the strength of each feature entry and the
// spread between users.

extension SharedFitting {
  /// The chosen columns, strengths and spread.
  struct Chosen {
    /// The scales of the columns whose entries were kept.
    var scales: ColumnScales
    var estimation: PriorEstimation
    var whole: PriorEstimation.Result
    var spread: SpreadChoice.Outcome
    /// The strength of each feature entry: the effect of its coefficients in the population's mean, as a
    /// share of the values' standard deviation. A dropped entry has the strength 0.
    var strengths: [Double]
  }

  /// Chooses the strengths of entries from the sums of `people`, then the spread from rows of the sample.
  func choose(
    _ scales: ColumnScales, _ people: [SumsOfProducts], _ estimation: PriorEstimation,
    _ whole: PriorEstimation.Result, _ sample: LearningSample
  ) throws(LeastSquaresError) -> Chosen {
    var (estimation, whole) = (estimation, whole)
    let weak = estimation.precisions
    var entryOfColumn: [Int: Int] = [:]
    for feature in rows.space.features {
      for column in feature.columns { entryOfColumn[column] = feature.entry }
    }
    let strengths = FeatureStrengths(entries: [nil] + scales.columns.map { entryOfColumn[$0] })
    // Variances and strengths depend slightly on each other, so the loop estimates them alternately.
    for _ in 0..<Self.rounds {
      estimation.precisions = try strengths.precisions(
        information: whole.information, moments: whole.moments, least: weak)
      whole = try estimation.estimate(people, from: whole.prior)
    }

    let entryCount = (rows.space.features.map(\.entry).max() ?? -1) + 1
    var moved = [Double](repeating: 0, count: entryCount)
    for (entry, mean) in zip(strengths.entries, whole.prior.mean) {
      if let entry { moved[entry] += mean * mean }
    }
    moved = moved.map { $0.squareRoot() }
    let isKept = moved.map { $0 >= Self.leastStrength }
    let places =
      [0]
      + scales.columns.indices.filter {
        entryOfColumn[scales.columns[$0]].map { isKept[$0] } ?? false
      }.map { $0 + 1 }
    let kept = scales.keeping { entryOfColumn[$0].map { isKept[$0] } ?? false }
    estimation.precisions = places.map { estimation.precisions[$0] }
    let start = GaussianPrior(
      mean: places.map { whole.prior.mean[$0] }, variances: places.map { whole.prior.variances[$0] },
      noise: whole.prior.noise)
    whole = try estimation.estimate(people.map { $0.keeping(places) }, from: start)
    let choice = SpreadChoice(fitting: self, scales: kept, estimation: estimation, start: whole.prior)
    return Chosen(
      scales: kept, estimation: estimation, whole: whole,
      spread: try choice.choose(drawn(sample, order: kept.parameterCount)),
      strengths: zip(moved, isKept).map { $1 ? $0 : 0 })
  }

  private static let rounds = 3
  /// The smallest strength of a kept entry. An entry is dropped if its coefficients together move the values
  /// by a smaller share of the values' standard deviation.
  private static let leastStrength = 1e-3

  /// Returns the users whose rows determine the spread, in ascending order. Drawing stops at
  /// `SpreadChoice.mostRows` rows, or earlier if rows of `order` elements reach the memory limit.
  func drawn(_ sample: LearningSample, order: Int) -> [Int] {
    let mostRows = min(SpreadChoice.mostRows, LearningSample.rowLimit(order: order))
    var (users, rowCount) = ([] as [Int], 0)
    for user in sample.drawn.prefix(LearningSample.limit(order: order)) where rowCount < mostRows {
      users.append(user)
      rowCount += min(SpreadChoice.mostRowsPerUser, rows.table.range(ofUser: user).count)
    }
    return users.sorted()
  }
}

extension SharedFitting.Chosen {
  /// Returns the facts for the manifest. `whole` is the number of users whose rows determined the strengths.
  func fact(_ space: FeatureSpace, whole people: Int) -> JSONValue {
    let features = strengths.indices.map { entry -> JSONValue in
      let names = space.features.filter { $0.entry == entry }.map(\.name)
      return [
        "feature": .string(names.joined(separator: ", ")), "strength": .number(strengths[entry]),
        "kept": .boolean(strengths[entry] > 0),
      ]
    }
    let tried = spread.tried.map { tried -> JSONValue in
      [
        "spread": .number(tried.factor), "concordance": .number(tried.concordance),
        "loss": .number(tried.loss), "standard_error": .number(tried.standardError),
      ]
    }
    return [
      "features": .array(features), "people": .integer(people), "spread": .number(spread.factor),
      "tried": .array(tried), "compared_users": .integer(spread.users),
    ]
  }
}
