/// One user's model: the prediction at the mean of the learning rows, and the term of each column.
package struct UserModel: Hashable, Sendable {
  /// The term of one column of the feature space that occurs in the user's learning rows.
  package struct Term: Hashable, Sendable {
    /// Row of `ModelTable.columns`.
    package var column: UInt32
    /// In original units of the column.
    package var coefficient: Double
    /// The column's mean over the learning rows.
    package var mean: Double
    /// The posterior standard deviation of the coefficient; `nil` if the model has none.
    package var standardError: Double?

    package init(column: UInt32, coefficient: Double, mean: Double, standardError: Double? = nil) {
      self.column = column
      self.coefficient = coefficient
      self.mean = mean
      self.standardError = standardError
    }
  }

  /// The number of learning rows; 0 for the population's model, which users without interactions have.
  package var observations: Int
  /// The prediction if every column has its mean: the score is this plus the contributions.
  package var base: Double
  package var baseStandardError: Double?
  /// The prediction if every column is 0.
  package var intercept: Double
  /// The sum of squared residuals over the learning rows.
  package var residualSumOfSquares: Double
  /// The value of a candidate without a category.
  package var missingCategory = MissingCategory.baseline
  /// In the order of features. Under Create ML's rules the categories of one feature are in the order of occurrence, the
  /// baseline (coefficient 0) first.
  package var terms: [Term]

  /// How a model treats candidates whose category is missing.
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
