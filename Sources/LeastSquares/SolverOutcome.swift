/// The properties of a solution in addition to the coefficients. `rank` excludes the intercept.
struct SolverOutcome {
  var method: LeastSquaresMethod
  var rank: Int
  var reciprocalCondition: Double
}
