/// The properties of a solution besides its coefficients. `rank` excludes the intercept.
struct SolverOutcome {
  var method: LeastSquaresMethod
  var rank: Int
  var reciprocalCondition: Double
}
