/// One user's model: the prediction at the mean of the learning rows, and a term for each column.
package struct UserModel: Hashable, Sendable {
  /// The term of one column of the feature space.
  package struct Term: Hashable, Sendable {
    /// The row in `ModelTable.columns`.
    package var column: UInt32
    /// The coefficient in the column's original units.
    package var coefficient: Double
    /// The column's mean over the learning rows.
    package var mean: Double
    /// The posterior standard deviation of the coefficient; `nil` if the model has no standard errors.
    package var standardError: Double?

    package init(column: UInt32, coefficient: Double, mean: Double, standardError: Double? = nil) {
      self.column = column
      self.coefficient = coefficient
      self.mean = mean
      self.standardError = standardError
    }
  }

  /// The number of learning rows. It is 0 for the model of the population or of a group, which users without
  /// learning rows get.
  package var observations: Int
  /// The prediction if every column has its mean. The score is this base plus the contributions of the terms.
  package var base: Double
  package var baseStandardError: Double?
  /// The prediction if every column is 0.
  package var intercept: Double
  /// The sum of squared residuals over the learning rows.
  package var residualSumOfSquares: Double
  /// The model's treatment of a candidate whose category is missing.
  package var missingCategory = MissingCategory.baseline
  /// The terms in the order of features. Under Create ML's rules, the categories of a feature are in order of
  /// occurrence. The first category is the baseline, with the coefficient 0.
  package var terms: [Term]

  /// A model's treatment of a candidate whose category is missing.
  package enum MissingCategory: Hashable, Sendable {
    /// All columns of the category are 0, as under Create ML's rules.
    case baseline
    /// All columns of the category have their mean, so they contribute nothing.
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
