import Foundation
import LeastSquares
import Testing
import TestSupport

/// Compares one small regression per person of real speed-dating evenings with solutions in exact
/// arithmetic.
@Suite(.enabled(if: SharedData.exists("speed-dating/per_user_ols_exact.dev.json"), "needs ../shared/data"))
struct SpeedDatingTests {
  struct Exact: Decodable {
    var n: Int
    var rank: Int
    var coef: [Double]?
    var rss: Double?
  }

  struct Person {
    var id: String
    var problem: Problem
    var exact: Exact
  }

  static func people() throws -> [Person] {
    struct File: Decodable { var users: [String: Exact] }
    let file = try JSONDecoder().decode(
      File.self, from: Data(SharedData.text("speed-dating/per_user_ols_exact.dev.json").utf8))
    let lines = try SharedData.text("speed-dating/swipes_dev.csv").split(whereSeparator: \.isNewline)
    let header = lines[0].split(separator: ",")
    let fields = try ["like", "attr", "sinc", "intel", "fun", "amb", "shar"].map { name in
      try #require(header.firstIndex { $0 == name })
    }
    let person = try #require(header.firstIndex { $0 == "iid" })
    var rows: [String: [[Double]]] = [:]
    for line in lines.dropFirst() {
      let cells = line.split(separator: ",", omittingEmptySubsequences: false)
      let values = fields.compactMap { Double(cells[$0]) }
      if values.count == fields.count { rows[String(cells[person]), default: []].append(values) }
    }
    return file.users.sorted { $0.key < $1.key }.map { id, exact in
      let own = rows[id] ?? []
      let problem = Problem(columns: (1...6).map { j in own.map { $0[j] } }, response: own.map { $0[0] })
      return Person(id: id, problem: problem, exact: exact)
    }
  }

  @Test(arguments: [LeastSquaresMethod.Choice.automatic, .only(.svd)])
  func `every solution equals the exact one`(method: LeastSquaresMethod.Choice) throws {
    var workspace = LeastSquaresWorkspace()
    let people = try Self.people()
    #expect(people.count == 348)
    var deficient = 0
    for person in people {
      let solution = try person.problem.solve(method, in: &workspace)
      #expect(person.problem.rowCount == person.exact.n)
      #expect(solution.fit.rank == person.exact.rank, "person \(person.id)")
      #expect(solution.isFinite)
      // The measured errors are 2.2e-14 for coefficients and sums, 1.6e-16 for normal equations and
      // 9.1e-16 for the null space.
      if let expected = person.exact.coef, let rss = person.exact.rss {
        #expect(relativeError(solution.all, expected) <= 5e-14, "person \(person.id)")
        #expect(abs(solution.fit.residualSumOfSquares - rss) <= 5e-14, "person \(person.id)")
        #expect(method != .automatic || solution.fit.method == .qr)
      } else {
        deficient += 1
        #expect(solution.fit.method == .svd)
        #expect(normalEquationsResidual(person.problem, solution) <= 1e-15, "person \(person.id)")
        #expect(shareInNullSpace(person.problem, solution.coefficients) <= 5e-15, "person \(person.id)")
      }
    }
    #expect(deficient == 83)
  }
}
