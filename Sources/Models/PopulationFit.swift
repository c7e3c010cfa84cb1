internal import Columns
internal import Concurrency
internal import Features
internal import Files
internal import LeastSquares
internal import RunSchemas
internal import Text

// The models in this file have a prior from the population or from the user's group.

extension SharedFitting {
  /// The smallest number of users with interactions in a group that has its own prior. Smaller groups use the
  /// prior of the whole population, because their variances would be mostly noise.
  static let leastPeople = 50

  func population(
    by attribute: String?, isChosen: Bool, _ scales: ColumnScales, to directory: inout StageDirectory,
    in folder: String
  ) throws -> SharedFit {
    let sample = LearningSample(rows, ids: users.ids, seed: seed)
    let limit = LearningSample.limit(order: scales.parameterCount)
    let people = sums(sample.users(limit: limit), scales)
    var estimation = PriorEstimation(
      precisions: Self.weakPrecisions(order: scales.parameterCount), threads: threads, progress: progress)
    var whole = try estimation.estimate(people, from: PriorEstimation.start(order: scales.parameterCount))
    var (scales, spread, choice) = (scales, 1.0, nil as JSONValue?)
    if isChosen {
      let chosen = try choose(scales, people, estimation, whole, sample)
      (scales, estimation, whole, spread) = (
        chosen.scales, chosen.estimation, chosen.whole, chosen.spread.factor
      )
      choice = chosen.fact(rows.space, whole: people.count)
    }

    let division = division(by: attribute, sample)
    var results = [whole]
    for group in division.groups {
      let own = sums(sample.users(limit: limit) { division.groupOfUser($0) == group.number }, scales)
      results.append(try estimation.estimate(own, from: whole.prior))
    }
    for group in results.indices { results[group].prior = results[group].prior.spread(by: spread) }
    let priors = results.map(\.prior)
    let names = [""] + division.groups.map(\.name)
    var fit = SharedFit(
      prior: PriorTable(
        columns: scales.shared, groups: zip(priors, names).map { scales.group($0, name: $1) }),
      models: try models(
        priors, scales, hasErrors: true, group: division.groupOfUser, hasModelWithoutRows: true,
        to: &directory, in: folder))
    fit.methods = ["cholesky": fit.models.activeUsers]
    var facts: [JSONValue] = []
    for (result, name) in zip(results, names) {
      facts.append(Self.fact(result, try estimation.errors(of: result), name: name, scales, rows.space))
    }
    fit.facts["prior"] = .array(facts)
    fit.facts["choice"] = choice
    return fit
  }

  static func weakPrecisions(order: Int) -> [Double] {
    var precisions = [Double](repeating: PriorEstimation.weakPrecision, count: order)
    precisions[0] = 0
    return precisions
  }

  /// The sufficiently large groups, numbered from 1, and the group of each user. Group 0 is the whole
  /// population.
  struct Division: Sendable {
    var groups: [(number: Int, name: String)] = []
    /// The group number of each code of the attribute; 0 if the group is too small.
    var numbers: [Int] = []
    var codes: [UInt32] = []

    @Sendable func groupOfUser(_ user: Int) -> Int {
      guard !codes.isEmpty, codes[user] != CategoryColumn.missing else { return 0 }
      return numbers[Int(codes[user])]
    }
  }

  private func division(by attribute: String?, _ sample: LearningSample) -> Division {
    guard let attribute else { return Division() }
    guard let column = users.categories[attribute] else {
      preconditionFailure("the snapshot does not contain the category of the users")
    }
    var division = Division(codes: column.codes.elements)
    var counts = [Int](repeating: 0, count: column.vocabulary.count)
    for user in sample.drawn where division.codes[user] != CategoryColumn.missing {
      counts[Int(division.codes[user])] += 1
    }
    division.numbers = [Int](repeating: 0, count: counts.count)
    for code in counts.indices where counts[code] >= Self.leastPeople {
      division.groups.append((division.groups.count + 1, column.vocabulary.string(code)))
      division.numbers[code] = division.groups.count
    }
    return division
  }

  /// Returns the facts about a prior for the manifest. Like the tables of the prior, they are in original
  /// units.
  static func fact(
    _ result: PriorEstimation.Result, _ errors: GaussianPrior, name: String, _ scales: ColumnScales,
    _ space: FeatureSpace
  ) -> JSONValue {
    let group = scales.group(result.prior, name: name)
    let errors = scales.group(errors, name: name)
    return [
      "group": .string(name), "passes": .integer(result.passes), "converged": .boolean(result.hasConverged),
      "base": .number(group.base), "base_standard_deviation": .number(group.baseDeviation),
      "base_standard_error": .number(errors.baseDeviation),
      "noise_variance": .number(group.noiseDeviation * group.noiseDeviation),
      "columns": .array(
        scales.columns.indices.map { place in
          [
            "column": .string(space.columns[scales.columns[place]]),
            "coefficient": .number(group.coefficients[place]),
            "standard_deviation": .number(group.deviations[place]),
            "standard_error": .number(errors.deviations[place]),
          ]
        }),
    ]
  }
}
