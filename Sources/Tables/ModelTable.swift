/// One user's model: the prediction at the mean of the learning rows, and what each column adds to it.
package struct UserModel: Hashable, Sendable {
  /// One column of the feature space that the user's learning rows know.
  package struct Term: Hashable, Sendable {
    /// Row of `ModelTable.columns`.
    package var column: UInt32
    /// In original units of the column.
    package var coefficient: Double
    /// The column's mean over the learning rows.
    package var mean: Double

    package init(column: UInt32, coefficient: Double, mean: Double) {
      self.column = column
      self.coefficient = coefficient
      self.mean = mean
    }
  }

  /// How many interactions were learned from; at least 1.
  package var observations: Int
  /// The prediction where every column has its mean: the score is this plus the contributions.
  package var base: Double
  /// The prediction where every column is 0.
  package var intercept: Double
  /// The sum of squared residuals over the learning rows.
  package var residualSumOfSquares: Double
  /// What a candidate without a category counts as.
  package var missingCategory = MissingCategory.baseline
  /// In the order of features; the categories of one feature in the order met, the baseline (coefficient 0) first.
  package var terms: [Term]

  /// How a model was taught to take candidates whose category is missing.
  package enum MissingCategory: Hashable, Sendable {
    /// 0 in all of its columns, as in the first app's model.
    case baseline
    /// The mean in all of them, so that it contributes nothing.
    case mean
  }

  package init(
    observations: Int, base: Double, intercept: Double, residualSumOfSquares: Double, terms: [Term]
  ) {
    self.observations = observations
    self.base = base
    self.intercept = intercept
    self.residualSumOfSquares = residualSumOfSquares
    self.terms = terms
  }
}

/// The models of all users, as fit wrote them: one row per user, terms as compressed sparse rows.
///
/// ```
/// models/columns                      the names of the feature space's columns
/// models/observations.npy             0 where a user has no model
/// models/base.npy, intercept.npy, residual_sum_of_squares.npy      NaN where a user has no model
/// models/terms.{offsets,column,coefficient,mean}.npy
/// ```
package struct ModelTable: Sendable {
  package let columns: StringColumn
  private let observations: Column<UInt32>
  private let base: Column<Double>
  private let intercept: Column<Double>
  private let residualSumOfSquares: Column<Double>
  private let offsets: Column<UInt64>
  private let termColumn: Column<UInt32>
  private let coefficient: Column<Double>
  private let mean: Column<Double>

  /// Maps the models in `directory`.
  ///
  /// - Throws: `FileError`; also where they were learned on other columns than `expected`: scores would be nonsense.
  package init(_ directory: String, columns expected: [String]) throws(FileError) {
    columns = try StringColumn(directory + "/columns")
    guard columns.strings == expected else {
      throw FileError(
        .read, directory, reason: "the models were learned on other features than the pipeline file has now",
        advice: "Run the pipeline again.")
    }
    observations = try Column(directory + "/observations.npy")
    base = try Column(directory + "/base.npy")
    intercept = try Column(directory + "/intercept.npy")
    residualSumOfSquares = try Column(directory + "/residual_sum_of_squares.npy")
    offsets = try Column(directory + "/terms.offsets.npy")
    termColumn = try Column(directory + "/terms.column.npy")
    coefficient = try Column(directory + "/terms.coefficient.npy")
    mean = try Column(directory + "/terms.mean.npy")
  }

  /// The number of users, with a model or without.
  package var count: Int { observations.count }

  /// The model of the user at `row`, or `nil` where there was nothing to learn from.
  package subscript(row: Int) -> UserModel? {
    guard observations[row] > 0 else { return nil }
    let range = Int(offsets[row])..<Int(offsets[row + 1])
    return UserModel(
      observations: Int(observations[row]), base: base[row], intercept: intercept[row],
      residualSumOfSquares: residualSumOfSquares[row],
      terms: range.map {
        UserModel.Term(column: termColumn[$0], coefficient: coefficient[$0], mean: mean[$0])
      })
  }

  /// Writes the files above.
  package static func write(_ models: [UserModel?], columns: [String], to directory: inout StageDirectory)
    throws(FileError)
  {
    try StringColumn.write(columns.map { Array($0.utf8) }, to: "columns", in: &directory)
    try Column.write(models.map { UInt32($0?.observations ?? 0) }, to: "observations.npy", in: &directory)
    try Column.write(models.map { $0?.base ?? .nan }, to: "base.npy", in: &directory)
    try Column.write(models.map { $0?.intercept ?? .nan }, to: "intercept.npy", in: &directory)
    try Column.write(
      models.map { $0?.residualSumOfSquares ?? .nan }, to: "residual_sum_of_squares.npy", in: &directory)
    let terms = models.flatMap { $0?.terms ?? [] }
    let offsets = models.reduce(into: [0] as [UInt64]) { offsets, model in
      offsets.append((offsets.last ?? 0) + UInt64(model?.terms.count ?? 0))
    }
    try Column.write(offsets, to: "terms.offsets.npy", in: &directory)
    try Column.write(terms.map(\.column), to: "terms.column.npy", in: &directory)
    try Column.write(terms.map(\.coefficient), to: "terms.coefficient.npy", in: &directory)
    try Column.write(terms.map(\.mean), to: "terms.mean.npy", in: &directory)
  }
}
