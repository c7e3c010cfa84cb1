internal import Columns
internal import Files

/// The columns that all models with a prior share, and the parameters of the population or of each of its
/// groups.
///
/// ```
/// models/prior.column.npy            per shared column: its number in models/columns
/// models/prior.learning_mean.npy     per shared column: its mean over the learning rows
/// models/prior.scale.npy             per shared column: the standard deviation that it is divided by
/// models/prior.group                 names of the groups: "" is the whole population
/// models/prior.{base,base_standard_deviation,noise_standard_deviation}.npy      per group
/// models/prior.coefficient.npy, prior.standard_deviation.npy            groups × columns, group by group
/// ```
package struct PriorTable: Hashable, Sendable {
  package struct SharedColumn: Hashable, Sendable {
    /// The row in `ModelTable.columns`.
    package var column: UInt32
    /// The mean over all learning rows.
    package var mean: Double
    /// The standard deviation by which the column is divided.
    package var scale: Double

    package init(column: UInt32, mean: Double, scale: Double) {
      self.column = column
      self.mean = mean
      self.scale = scale
    }
  }

  /// The parameters of a group, in original units.
  package struct Group: Hashable, Sendable {
    /// The value of the attribute that defines the groups; empty for the whole population.
    package var name: String
    /// The prediction if every column has its mean.
    package var base: Double
    /// The standard deviation of users' bases around `base`.
    package var baseDeviation: Double
    /// The standard deviation of the learned values around the predictions.
    package var noiseDeviation: Double
    /// The group's coefficients, by shared column.
    package var coefficients: [Double]
    /// The standard deviations of users' own coefficients around the group's coefficients, by shared column.
    package var deviations: [Double]

    package init(
      name: String, base: Double, baseDeviation: Double, noiseDeviation: Double, coefficients: [Double],
      deviations: [Double]
    ) {
      self.name = name
      self.base = base
      self.baseDeviation = baseDeviation
      self.noiseDeviation = noiseDeviation
      self.coefficients = coefficients
      self.deviations = deviations
    }
  }

  package var columns: [SharedColumn]
  package var groups: [Group]

  package init(columns: [SharedColumn], groups: [Group]) {
    self.columns = columns
    self.groups = groups
  }

  /// Returns whether the models in `directory` have a prior.
  static func exists(in directory: String) -> Bool { Directories.exists(directory + "/prior.column.npy") }

  /// Reads the prior of the models in `directory`.
  init(_ directory: String) throws(FileError) {
    func numbers(_ name: String) throws(FileError) -> [Double] {
      try Column<Double>(directory + "/prior." + name + ".npy").elements
    }
    let numbersOfColumns = try Column<UInt32>(directory + "/prior.column.npy").elements
    let means = try numbers("learning_mean")
    let scales = try numbers("scale")
    let names = try StringColumn(directory + "/prior.group").strings
    let bases = try numbers("base")
    let baseDeviations = try numbers("base_standard_deviation")
    let noises = try numbers("noise_standard_deviation")
    let coefficients = try numbers("coefficient")
    let deviations = try numbers("standard_deviation")
    let width = numbersOfColumns.count
    guard means.count == width, scales.count == width, bases.count == names.count,
      baseDeviations.count == names.count, noises.count == names.count,
      coefficients.count == width * names.count, deviations.count == width * names.count
    else {
      throw FileError(
        damaged: directory + "/prior.column.npy", "its length does not match the other files of the prior")
    }
    columns = numbersOfColumns.indices.map {
      SharedColumn(column: numbersOfColumns[$0], mean: means[$0], scale: scales[$0])
    }
    groups = names.indices.map { group in
      let own = group * width..<(group + 1) * width
      return Group(
        name: names[group], base: bases[group], baseDeviation: baseDeviations[group],
        noiseDeviation: noises[group], coefficients: Array(coefficients[own]),
        deviations: Array(deviations[own]))
    }
  }

  func write(to directory: inout StageDirectory, in folder: String) throws(FileError) {
    try Column.write(columns.map(\.column), to: folder + "prior.column.npy", in: &directory)
    try Column.write(columns.map(\.mean), to: folder + "prior.learning_mean.npy", in: &directory)
    try Column.write(columns.map(\.scale), to: folder + "prior.scale.npy", in: &directory)
    try StringColumn.write(groups.map { Array($0.name.utf8) }, to: folder + "prior.group", in: &directory)
    try Column.write(groups.map(\.base), to: folder + "prior.base.npy", in: &directory)
    try Column.write(
      groups.map(\.baseDeviation), to: folder + "prior.base_standard_deviation.npy", in: &directory)
    try Column.write(
      groups.map(\.noiseDeviation), to: folder + "prior.noise_standard_deviation.npy", in: &directory)
    try Column.write(groups.flatMap(\.coefficients), to: folder + "prior.coefficient.npy", in: &directory)
    try Column.write(
      groups.flatMap(\.deviations), to: folder + "prior.standard_deviation.npy", in: &directory)
  }
}

extension PriorTable {
  /// Returns the model of a user without learning rows in the group with the index `group`.
  package func model(ofGroup group: Int) -> UserModel {
    let prior = groups[group]
    return model(
      base: prior.base, baseError: prior.baseDeviation, coefficients: prior.coefficients[...],
      errors: prior.deviations[...])
  }

  /// Returns a model with the shared columns and no learning rows. NaN means an unknown standard error.
  func model(
    base: Double, baseError: Double, coefficients: ArraySlice<Double>, errors: ArraySlice<Double>
  ) -> UserModel {
    let terms = zip(columns, zip(coefficients, errors)).map { column, own in
      UserModel.Term(
        column: column.column, coefficient: own.0, mean: column.mean,
        standardError: own.1.isNaN ? nil : own.1)
    }
    var model = UserModel(
      observations: 0, base: base, intercept: terms.reduce(base) { $0 - $1.coefficient * $1.mean },
      residualSumOfSquares: 0, terms: terms)
    model.baseStandardError = baseError.isNaN ? nil : baseError
    model.missingCategory = .mean
    return model
  }
}
