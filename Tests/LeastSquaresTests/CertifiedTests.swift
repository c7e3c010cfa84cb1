import Foundation
import LeastSquares
import Testing
import TestSupport

/// One of NIST's Statistical Reference Datasets for linear regression.
struct CertifiedSet: CustomTestStringConvertible, Sendable {
  var name: String
  /// The required number of correct digits of the worst coefficient, including the intercept, and
  /// of the residual sum of squares.
  var coefficients: Double
  var sum: Double
  var testDescription: String { name }

  private struct File: Decodable {
    struct Parameter: Decodable { var estimate: String }
    struct Anova: Decodable {
      struct Row: Decodable { var ss: String }
      var residual: Row
    }
    var model: String
    var certified: [Parameter]
    var anova: Anova
  }

  func load() throws -> (problem: Problem, coefficients: [Double], residualSumOfSquares: Double) {
    let folder = "third-party/strd/"
    let file = try JSONDecoder().decode(
      File.self, from: Data(SharedData.text(folder + name + ".certified.json").utf8))
    let rows = try SharedData.text(folder + name + ".csv").split(whereSeparator: \.isNewline).dropFirst().map
    {
      try $0.split(separator: ",").map { try #require(Double($0)) }
    }
    let degree = file.model.firstMatch(of: /polynomial degree (\d+)/).flatMap { Int($0.1) }
    let predictors = (1..<rows[0].count).map { j in rows.map { $0[j] } }
    let problem = Problem(
      columns: degree.map { powers(predictors[0], degree: $0) } ?? predictors, response: rows.map { $0[0] },
      fitsIntercept: !file.model.contains("no intercept"))
    let coefficients = try file.certified.map { try #require(Double($0.estimate)) }
    return (
      problem, problem.fitsIntercept ? coefficients : [0] + coefficients,
      try #require(Double(file.anova.residual.ss))
    )
  }
}

/// Returns x, x², and so on. Each product is rounded once.
func powers(_ x: [Double], degree: Int) -> [[Double]] {
  (1..<degree).reduce(into: [x]) { columns, _ in
    columns.append(zip(columns[columns.count - 1], x).map { $0 * $1 })
  }
}

@Suite(.enabled(if: SharedData.exists("third-party/strd/longley.csv"), "needs ../shared/data"))
struct CertifiedTests {
  // The measured numbers of correct digits with the worst of the three methods (OpenBLAS 0.3.21, x86-64),
  // first for the coefficients and then for the sum:
  //
  // - Norris: 12.5 and 14.5
  // - Pontius: 12.6 and 13.3
  // - NoInt1: 14.7 and 14.6
  // - Longley: 13.8 (14.6 without Cholesky) and 14.9
  // - Wampler1: 10.0 (10.8 without Cholesky) and exact
  // - Wampler2: 13.1 and exact
  // - Wampler3: 9.6 (10.2 without Cholesky) and 13.6
  //
  // "Exact" means that the certified sum is 0 and the computed sum is below 1e-18.
  static let sets = [
    CertifiedSet(name: "norris", coefficients: 12, sum: 14),
    CertifiedSet(name: "pontius", coefficients: 12, sum: 12.5),
    CertifiedSet(name: "noint1", coefficients: 14, sum: 14),
    CertifiedSet(name: "longley", coefficients: 13, sum: 14),
    CertifiedSet(name: "wampler1", coefficients: 9.5, sum: 14),
    CertifiedSet(name: "wampler2", coefficients: 12.5, sum: 14),
    CertifiedSet(name: "wampler3", coefficients: 9, sum: 13),
  ]

  @Test(arguments: sets, LeastSquaresMethod.allCases)
  func `NIST's certified values are met`(set: CertifiedSet, method: LeastSquaresMethod) throws {
    let (problem, expected, rss) = try set.load()
    let solution = try problem.solve(.only(method))
    #expect(solution.fit.rank == problem.columnCount + (problem.fitsIntercept ? 1 : 0))
    for (got, certified) in zip(solution.all, expected) {
      #expect(correctDigits(got, certified) >= set.coefficients)
    }
    #expect(correctDigits(solution.fit.residualSumOfSquares, rss) >= set.sum)
    #expect(try problem.solve().fit.method == .qr)
  }
}
