internal import Columns
internal import Files

/// The models of consecutive users on the columns of a `PriorTable`, in the order of users.
///
/// Column by column, as they are written: a million users have tens of millions of coefficients.
package struct SharedModels: Sendable {
  package private(set) var observations: [UInt32] = []
  /// Group of `PriorTable`, or `none`: such a user has no model without interactions.
  package private(set) var groups: [UInt32] = []
  package private(set) var bases: [Double] = []
  package private(set) var baseErrors: [Double] = []
  package private(set) var intercepts: [Double] = []
  package private(set) var residualSumsOfSquares: [Double] = []
  /// The root of the mean, over the learning rows, of the variance of what is predicted for them, noise left out.
  package private(set) var predictionErrors: [Double] = []
  /// How many terms a user has: all shared columns, or 0 for the group's own.
  package private(set) var termCounts: [Int] = []
  /// The terms of all users, user by user.
  package private(set) var coefficients: [Double] = []
  package private(set) var errors: [Double] = []

  package static let none = UInt32.max

  package init() {}

  /// Makes room for so many users with so many terms each: growing step by step would take twice the memory.
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

  /// The figures of a model that are no terms.
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

  /// Adds the next user, with a model of their own on all shared columns, or, without coefficients, with that of
  /// the group.
  ///
  /// - Parameters:
  ///   - figures: NaN is what is not known.
  ///   - group: The group that the user belongs to; `none` without a prior.
  ///   - coefficients: In original units, by shared column; empty for the group's own.
  ///   - errors: Their standard errors; NaN where unknown.
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

  /// Forgets the terms, and keeps how many there are.
  mutating func removeTerms() { (coefficients, errors) = ([], []) }
}
