internal import Columns
internal import Files

/// The models of consecutive users with the columns of a `PriorTable`, in the order of users.
///
/// The models are stored column by column, as in the files, because a million users have tens of millions of
/// coefficients.
package struct SharedModels: Sendable {
  package private(set) var observations: [UInt32] = []
  /// The group in `PriorTable`, or `none`. A user without a group has a model only if the user has learning
  /// rows.
  package private(set) var groups: [UInt32] = []
  package private(set) var bases: [Double] = []
  package private(set) var baseErrors: [Double] = []
  package private(set) var intercepts: [Double] = []
  package private(set) var residualSumsOfSquares: [Double] = []
  /// The root mean square, over the learning rows, of the standard errors of the predictions, without noise.
  package private(set) var predictionErrors: [Double] = []
  /// The number of terms of each user: the number of shared columns, or 0 for the model of the group.
  package private(set) var termCounts: [Int] = []
  /// The terms of all users, user by user.
  package private(set) var coefficients: [Double] = []
  package private(set) var errors: [Double] = []

  /// The value in `groups` for a user without a group.
  package static let none = UInt32.max

  package init() {}

  /// Reserves memory for `users` users with `termsPerUser` terms each. Without the reservation, the growing
  /// arrays would need twice the memory.
  package mutating func reserveCapacity(users: Int, termsPerUser: Int) {
    observations.reserveCapacity(users)
    groups.reserveCapacity(users)
    bases.reserveCapacity(users)
    baseErrors.reserveCapacity(users)
    intercepts.reserveCapacity(users)
    residualSumsOfSquares.reserveCapacity(users)
    predictionErrors.reserveCapacity(users)
    termCounts.reserveCapacity(users)
    coefficients.reserveCapacity(users * termsPerUser)
    errors.reserveCapacity(users * termsPerUser)
  }

  /// The numbers of a model, except its terms.
  package struct Figures: Sendable {
    package var observations: Int
    package var base: Double
    package var baseError: Double
    package var intercept: Double
    package var residualSumOfSquares: Double
    package var predictionError: Double

    package init(
      observations: Int, base: Double, baseError: Double, intercept: Double, residualSumOfSquares: Double,
      predictionError: Double
    ) {
      self.observations = observations
      self.base = base
      self.baseError = baseError
      self.intercept = intercept
      self.residualSumOfSquares = residualSumOfSquares
      self.predictionError = predictionError
    }
  }

  /// Adds the model of the next user. Without coefficients, the user has the model of the group.
  ///
  /// - Parameters:
  ///   - figures: The numbers of the model; NaN if unknown.
  ///   - group: The user's group; `SharedModels.none` without a group.
  ///   - coefficients: The coefficients in original units, by shared column; empty for the model of the group.
  ///   - errors: The standard errors of the coefficients; NaN if unknown.
  package mutating func append(
    _ figures: Figures, group: UInt32, coefficients: [Double] = [], errors: [Double] = []
  ) {
    precondition(
      coefficients.count == errors.count,
      "each coefficient must have one standard error, but there are \(errors.count) errors")
    observations.append(UInt32(clamping: figures.observations))
    groups.append(group)
    bases.append(figures.base)
    baseErrors.append(figures.baseError)
    intercepts.append(figures.intercept)
    residualSumsOfSquares.append(figures.residualSumOfSquares)
    predictionErrors.append(figures.predictionError)
    termCounts.append(coefficients.count)
    self.coefficients += coefficients
    self.errors += errors
  }

  /// Releases the terms, but keeps the number of terms of each user.
  mutating func removeTerms() { (coefficients, errors) = ([], []) }
}
