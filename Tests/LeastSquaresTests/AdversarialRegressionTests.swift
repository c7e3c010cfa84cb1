import Concurrency
import LeastSquares
import Testing
import TestSupport

/// Solves problems with constant, duplicate, huge, tiny and collinear columns. Each result must be
/// finite, or an error that states the reason.
@Suite struct AdversarialRegressionTests {
  private static let cases = 20
  private static let tally = Tally("adversarial regressions", cases: cases)

  @Test(arguments: 0..<cases)
  func `no regression returns NaN or infinity`(part: Int) {
    var workspace = LeastSquaresWorkspace()
    for index in 0..<Soak.count(2000, soak: 100_000) / Self.cases {
      check(seed: UInt64(part) << 32 | UInt64(index), &workspace)
    }
    Self.tally.end()
  }

  private func check(seed: UInt64, _ workspace: inout LeastSquaresWorkspace) {
    let problem = Self.problem(seed: seed)
    Self.tally.add("regressions")
    for method in [LeastSquaresMethod.Choice.automatic] + LeastSquaresMethod.allCases.map({ .only($0) }) {
      do throws(LeastSquaresError) {
        let solution = try problem.solve(method, in: &workspace)
        let isSound =
          solution.isFinite && solution.fit.residualSumOfSquares >= 0
          && (0...1).contains(solution.fit.reciprocalCondition)
          && (0...problem.columnCount + 1).contains(solution.fit.rank)
        if !isSound { Issue.record("seed \(seed), \(method): \(solution)") }
        Self.tally.add("solutions")
        Self.tally.add("numbers checked, all finite", solution.all.count + 2)
      } catch {
        Self.tally.add("errors that were reported")
        switch (error, method) {
        case (.resultOutOfRange, _), (.notPositiveDefinite, .only(.cholesky)),
          (.illConditioned, .only(.cholesky)), (.rankDeficient, .only(.qr)):
          break
        default: Issue.record("seed \(seed), \(method): \(error)")
        }
      }
    }
  }

  /// Returns a problem in which any column may be badly conditioned.
  static func problem(seed: UInt64) -> Problem {
    var random = SplitMix64(seed: seed)
    let rows = Int.random(in: 0...24, using: &random)
    var columns: [[Double]] = []
    for _ in 0..<Int.random(in: 0...9, using: &random) {
      columns.append(column(rows, beside: columns, using: &random))
    }
    let penalties = columns.map { _ in strengths.randomElement(using: &random) ?? 0 }
    return Problem(
      columns: columns, response: column(rows, beside: columns, using: &random), penalties: penalties,
      fitsIntercept: Bool.random(using: &random))
  }

  private static let strengths = [0, 0, 1e-300, 1e-12, 0.01, 1, 1e12, 1e300]
  private static let sizes = [
    1, 1, 1, 0.1, 3, 1e6, 1e-6, 1e100, 1e-100, 1e154, 1e-154, 1e300, 1e-300, 0x1p-1074, 0x1p-1022,
    Double.greatestFiniteMagnitude,
  ]

  /// Returns a column of a random kind. Most kinds are numerically difficult.
  private static func column(
    _ rows: Int, beside others: [[Double]], using random: inout SplitMix64
  ) -> [Double] {
    let size = (sizes.randomElement(using: &random) ?? 1) * (Bool.random(using: &random) ? 1 : -1)
    let noise = (0..<rows).map { _ in size * (2 * random.nextUnit() - 1) }
    let twin = others.randomElement(using: &random) ?? noise
    let other = others.randomElement(using: &random) ?? noise
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return noise.map { _ in size }  // constant
    case 1: return noise.map { _ in 0 }
    case 2: return twin
    case 3: return twin.map { finite($0 * size) }
    case 4: return zip(twin, other).map { finite($0 - 3 * $1) }  // collinear
    case 5: return zip(twin, noise).map { finite($0 + 1e-15 * $1) }  // nearly collinear
    case 6: return noise.map { finite(size + 1e-16 * $0) }  // nearly constant
    case 7:
      let one = rows > 0 ? Int.random(in: 0..<rows, using: &random) : 0
      return noise.indices.map { $0 == one ? size : 0 }  // zero except in one row
    case 8: return noise.map { $0 > 0 ? size : -size }
    default: return noise
    }
  }

  /// Clamps `value` to the range of a finite `Double`.
  private static func finite(_ value: Double) -> Double {
    max(-Double.greatestFiniteMagnitude, min(Double.greatestFiniteMagnitude, value))
  }
}
