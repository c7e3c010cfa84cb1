internal import Columns
internal import Files

/// The models of consecutive users on the columns of a `PriorTable`, in the order of users.
///
/// Stored column by column, as they are written: a million users have tens of millions of coefficients.
package struct SharedModels: Sendable {
  package private(set) var observations: [UInt32] = []
  /// Group of `PriorTable`, or `none`: a user without a group has no model without interactions.
  package private(set) var groups: [UInt32] = []
  package private(set) var bases: [Double] = []
  package private(set) var baseErrors: [Double] = []
  package private(set) var intercepts: [Double] = []
  package private(set) var residualSumsOfSquares: [Double] = []
  /// The root mean, over the learning rows, of the variance of the predictions, without noise.
  package private(set) var predictionErrors: [Double] = []
  /// The number of terms of a user: all shared columns, or 0 for the group's model.
  package private(set) var termCounts: [Int] = []
  /// The terms of all users, user by user.
  package private(set) var coefficients: [Double] = []
  package private(set) var errors: [Double] = []

  package static let none = UInt32.max

  package init() {}

  /// Reserves memory for this number of users and terms each: repeated growth would take twice the memory.
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

  /// The figures of a model besides its terms.
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

  /// Adds the next user, with a model of their own in all shared columns or, without coefficients, with the group's model.
  ///
  /// - Parameters:
  ///   - figures: NaN if unknown.
  ///   - group: The user's group; `none` without a prior.
  ///   - coefficients: In original units, by shared column; empty for the group's model.
  ///   - errors: Their standard errors; NaN if unknown.
  package mutating func append(
    _ figures: Figures, group: UInt32, coefficients: [Double] = [], errors: [Double] = []
  ) {
    precondition(coefficients.count == errors.count, "\(errors.count) errors")
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

  /// Releases the terms, and keeps their count.
  mutating func removeTerms() { (coefficients, errors) = ([], []) }
}
