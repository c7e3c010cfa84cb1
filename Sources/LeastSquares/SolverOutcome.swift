/// What a method reports besides the coefficients. `rank` does not count the intercept.
struct SolverOutcome {
  var method: LeastSquaresMethod
  var rank: Int
  var reciprocalCondition: Double
}
