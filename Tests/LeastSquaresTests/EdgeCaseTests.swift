import Concurrency
import LeastSquares
import Testing

@Suite struct EdgeCaseTests {
  @Test(arguments: [LeastSquaresMethod.Choice.automatic, .only(.cholesky), .only(.qr), .only(.svd)])
  func `without columns the intercept is the mean`(method: LeastSquaresMethod.Choice) throws {
    let free = try Problem(columns: [], response: [1, 2, 6]).solve(method)
    #expect(free.fit.intercept == 3)
    #expect(free.fit.rank == 1)
    #expect(free.fit.residualSumOfSquares == 14)
    #expect(free.fit.reciprocalCondition == 1)
    let none = try Problem(columns: [], response: [1, 2, 6], fitsIntercept: false).solve(method)
    #expect(none.fit.intercept == 0)
    #expect(none.fit.rank == 0)
    #expect(none.fit.residualSumOfSquares == 41)
  }

  @Test(arguments: [0.0, 0.01], [true, false])
  func `without rows everything is zero`(penalty: Double, intercept: Bool) throws {
    let solution = try Problem(columns: [[], []], response: [], penalty: penalty, fitsIntercept: intercept)
      .solve()
    #expect(solution.all == [0, 0, 0])
    #expect(solution.fit.rank == (penalty > 0 ? 2 : 0))
    #expect(solution.fit.residualSumOfSquares == 0)
    #expect(solution.fit.method == (penalty > 0 ? .cholesky : .svd))
    let nothing = try Problem(columns: [], response: [], fitsIntercept: intercept).solve()
    #expect(nothing.all == [0])
  }

  @Test(arguments: [LeastSquaresMethod.cholesky, .qr, .svd])
  func `ridge on one column equals a calculation by hand`(method: LeastSquaresMethod) throws {
    // Sxx = 2 and Sxy = 4, so w = 4 / (2 + 2) = 1 and b = 5 - 2.
    let solution = try Problem(columns: [[1, 2, 3]], response: [3, 5, 7], penalty: 2).solve(.only(method))
    #expect(relativeError(solution.all, [3, 1]) <= 1e-15)
    #expect(abs(solution.fit.residualSumOfSquares - 2) <= 1e-15)
  }

  @Test func `more columns than rows interpolate with minimum norm`() throws {
    let problem = Problem(
      columns: [[1, 0], [0, 1], [1, 1], [2, -1]], response: [3, 4], fitsIntercept: false)
    let solution = try problem.solve()
    #expect(solution.fit.rank == 2)
    #expect(solution.fit.residualSumOfSquares <= 1e-28)
    #expect(shareInNullSpace(problem, solution.coefficients) <= 1e-15)
    #expect(try problem.solve(.only(.svd)) == solution)
  }

  @Test(arguments: [0.1, 1e150, 1e-150, 1e300, 0x1p-1074, -7])
  func `a constant or empty column gets 0 next to an intercept`(constant: Double) throws {
    let x = [0.3, 0.1, 0.7, 0.9, 0.4]
    let y = x.map { 2 * $0 + 1 }
    let columns = [x, x.map { _ in constant }, x.map { _ in 0 }]
    let free = try Problem(columns: columns, response: y).solve()
    #expect(free.fit.rank == 2)
    #expect(relativeError(free.all, [1, 2, 0, 0]) <= 1e-15)
    #expect(free.coefficients[1...] == [0, 0])
    let ridge = try Problem(columns: columns, response: y, penalty: 1e-3).solve()
    #expect(ridge.coefficients[1...] == [0, 0])
    // In a `Double`, adding 1e-3 to the square of 1e300 has no effect. The column then counts as
    // dependent.
    #expect(ridge.fit.rank == (constant == 1e300 ? 3 : 4))
  }

  @Test func `a column that is constant except for rounding is constant`() throws {
    let almost = [0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2, 0.3, 0.3]
    let solution = try Problem(columns: [almost], response: [1, 2, 3, 4, 5, 6]).solve()
    #expect(solution.fit.rank == 1)
    #expect(relativeError(solution.all, [3.5, 0]) <= 1e-15)
  }

  @Test func `dependent columns with large means are dependent`() throws {
    var rng = SplitMix64(seed: 1)
    let x = (0..<40).map { _ in 1e6 + rng.nextUnit() }
    let problem = Problem(columns: [x, x.map { 3 * $0 + 0.1 }], response: x.map { $0 - 1e6 })
    let solution = try problem.solve()
    #expect(solution.fit.rank == 2)
    #expect(solution.coefficients.allSatisfy { abs($0) < 1 })
  }

  /// For any finite input, the result is finite or a documented error.
  @Test(arguments: 0..<400 as Range<UInt64>)
  func `NaN never appears silently`(seed: UInt64) {
    var rng = SplitMix64(seed: seed)
    let (n, p) = (Int.random(in: 0...9, using: &rng), Int.random(in: 0...7, using: &rng))
    let magnitudes = [0, 1, 1, 1e150, 1e-150, 1e300, 1e-300, 0x1p-1074, Double.greatestFiniteMagnitude]
    var columns: [[Double]] = []
    for _ in 0..<p {
      let magnitude = magnitudes.randomElement(using: &rng) ?? 1
      if let twin = columns.randomElement(using: &rng), Bool.random(using: &rng) {
        columns.append(twin.map { max(-magnitudes[8], min(magnitudes[8], $0 * 2)) })
      } else if Bool.random(using: &rng) {
        columns.append((0..<n).map { _ in magnitude * (2 * rng.nextUnit() - 1) })
      } else {
        columns.append((0..<n).map { _ in Bool.random(using: &rng) ? magnitude : 0 })
      }
    }
    let size = magnitudes.randomElement(using: &rng) ?? 1
    let choices = [0, 0, 0.01, 1e-300, 1e300]
    let penalties = columns.map { _ in choices.randomElement(using: &rng) ?? 0 }
    let problem = Problem(
      columns: columns, response: (0..<n).map { _ in size * (2 * rng.nextUnit() - 1) }, penalties: penalties,
      fitsIntercept: Bool.random(using: &rng))
    for method in [LeastSquaresMethod.Choice.automatic] + LeastSquaresMethod.allCases.map({ .only($0) }) {
      do throws(LeastSquaresError) {
        let solution = try problem.solve(method)
        #expect(solution.isFinite)
        #expect((0...p + 1).contains(solution.fit.rank))
        #expect(solution.fit.residualSumOfSquares >= 0)
      } catch {
        switch (error, method) {
        case (.resultOutOfRange, _), (.notPositiveDefinite, .only(.cholesky)),
          (.illConditioned, .only(.cholesky)),
          (.rankDeficient, .only(.qr)):
          break
        default: Issue.record("\(method): \(error)")
        }
      }
    }
  }

  @Test(arguments: [LeastSquaresMethod.cholesky, .qr, .svd])
  func `huge and tiny columns are solved accurately`(method: LeastSquaresMethod) throws {
    let x = [1.0, 2, 3, 5, 8], z = [2.0, 0, 1, 1, 0]
    let problem = Problem(
      columns: [x.map { $0 * 1e150 }, z.map { $0 * 1e-150 }], response: zip(x, z).map { 4 + 3 * $0 - 2 * $1 })
    let solution = try problem.solve(.only(method))
    #expect(relativeError([solution.fit.intercept], [4]) <= 1e-14)
    #expect(
      relativeError([solution.coefficients[0] * 1e150, solution.coefficients[1] * 1e-150], [3, -2]) <= 1e-14)
  }
}
