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
    /// How far the coefficient may be from the true one (posterior standard deviation); `nil` where the model cannot
    /// tell.
    package var standardError: Double?

    package init(column: UInt32, coefficient: Double, mean: Double, standardError: Double? = nil) {
      self.column = column
      self.coefficient = coefficient
      self.mean = mean
      self.standardError = standardError
    }
  }

  /// How many interactions were learned from; 0 for the population's own model, for whoever has none.
  package var observations: Int
  /// The prediction where every column has its mean: the score is this plus the contributions.
  package var base: Double
  package var baseStandardError: Double?
  /// The prediction where every column is 0.
  package var intercept: Double
  /// The sum of squared residuals over the learning rows.
  package var residualSumOfSquares: Double
  /// What a candidate without a category counts as.
  package var missingCategory = MissingCategory.baseline
  /// In the order of features; under Create ML's rules the categories of one feature stand in the order met, the
  /// baseline (coefficient 0) first.
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
