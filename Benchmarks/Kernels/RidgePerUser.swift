import Concurrency
import LeastSquares
import Models

/// Solves least squares for many users on categories and numbers in memory, with the solver of `nightjar
/// fit`. Benchmarks compare this solver with other programs.
///
/// For each user, the solver minimizes Σ (y - b - x·w)² + penalty Σ w² over b and w. Without a penalty, the
/// result is the minimizer of least norm in w.
struct RidgePerUser: Sendable {
  private let layout: CompactLayout
  private let penalty: Double

  /// - Parameters:
  ///   - widths: The number of codes per category; each code is a column of 0 and 1.
  ///   - numbers: The number of further columns.
  ///   - penalty: The ridge penalty, at least 0.
  init(widths: [Int], numbers: Int, penalty: Double) {
    precondition(penalty >= 0 && penalty.isFinite, "the penalty is \(penalty)")
    self.penalty = penalty
    var next = 1
    let categories = widths.map { width in
      defer { next += width }
      return CompactLayout.Category(
        parameters: next..<next + width, high: [Double](repeating: 1, count: width),
        low: [Double](repeating: 0, count: width), step: [Double](repeating: 1, count: width),
        binOfCode: (0..<Int32(width)).map { $0 })
    }
    let dense = (0..<numbers).map {
      CompactLayout.Dense(source: $0, parameter: next + $0, mean: 0, deviation: 1)
    }
    layout = CompactLayout(
      categories: categories, sources: Array(categories.indices), dense: dense,
      parameterCount: next + numbers)
  }

  /// The number of parameters per user, in this order: b, the category columns, the number columns.
  var parameterCount: Int { layout.parameterCount }

  /// The rows of all users, user by user, stored column by column.
  struct Rows: Sendable {
    var codes: [UInt32]
    var numbers: [Double]
    var responses: [Double]
    /// The rows of user u are `offsets[u]..<offsets[u + 1]`.
    var offsets: [Int]

    init(codes: [UInt32], numbers: [Double], responses: [Double], offsets: [Int]) {
      (self.codes, self.numbers, self.responses, self.offsets) = (codes, numbers, responses, offsets)
    }
  }

  /// The parameters of all users, user by user.
  ///
  /// - Parameters:
  ///   - rows: The rows of all users.
  ///   - threads: The number of threads, which does not affect the result.
  /// - Returns: `parameterCount` numbers per user.
  /// - Throws: `LeastSquaresError` for the first user whose problem has no solution, for example because a
  ///   number is not finite.
  func parameters(_ rows: Rows, threads: Int) throws -> [Double] {
    let userCount = rows.offsets.count - 1
    var parameters: [Double] = []
    parameters.reserveCapacity(userCount * layout.parameterCount)
    // Merges the results of finished users while other users are being solved, as `fit` does.
    var next = 0
    try mapInOrder(threads: threads) { () -> Range<Int>? in
      defer { next += LearningRows.chunkSize }
      return next < userCount ? next..<min(next + LearningRows.chunkSize, userCount) : nil
    } _: { (users: Range<Int>) throws -> [Double] in
      try penalty > 0 ? solvePenalized(rows, users) : solvePlain(rows, users)
    } merge: { (found: [Double]) in
      parameters += found
    }
    return parameters
  }

  /// Solves the regressions with a ridge penalty, as `fit` does for models with `l2`.
  private func solvePenalized(_ rows: Rows, _ users: Range<Int>) throws(LeastSquaresError) -> [Double] {
    var compact = CompactRows(layout)
    var sums = CompactSums(layout)
    var posterior = UserPosterior(
      SharedFitting.prior(penalty: penalty, order: layout.parameterCount), layout)
    let total = rows.responses.count
    var parameters: [Double] = []
    parameters.reserveCapacity(users.count * layout.parameterCount)
    for user in users {
      let first = rows.offsets[user]
      compact.resize(rows.offsets[user + 1] - first)
      compact.setVector(1, rows.responses, at: first, mean: 0, deviation: 1)
      for place in layout.dense.indices {
        compact.setVector(2 + place, rows.numbers, at: place * total + first, mean: 0, deviation: 1)
      }
      for place in layout.categories.indices {
        compact.setBins(place, rows.codes, at: place * total + first)
      }
      sums.load(compact)
      try posterior.solve(sums, hasVariances: false)
      parameters += posterior.mean
    }
    return parameters
  }

  /// Solves the regressions without a penalty and with all columns, as `fit` does under Create ML's rules.
  private func solvePlain(_ rows: Rows, _ users: Range<Int>) throws(LeastSquaresError) -> [Double] {
    var solver = LeastSquaresWorkspace()
    var (design, coefficients) = ([] as [Double], [Double](repeating: 0, count: layout.parameterCount - 1))
    let total = rows.responses.count
    var parameters: [Double] = []
    for user in users {
      let own = rows.offsets[user]..<rows.offsets[user + 1]
      design.removeAll(keepingCapacity: true)
      for (place, category) in layout.categories.enumerated() {
        for column in 0..<UInt32(category.width) {
          for row in own { design.append(rows.codes[place * total + row] == column ? 1 : 0) }
        }
      }
      for place in layout.dense.indices {
        design += rows.numbers[place * total + own.lowerBound..<place * total + own.upperBound]
      }
      var output = coefficients.mutableSpan
      let fit = try solver.solve(
        design: design.span, response: rows.responses.span.extracting(own), penalty: 0, fitsIntercept: true,
        coefficients: &output)
      parameters.append(fit.intercept)
      parameters += coefficients
    }
    return parameters
  }
}
