internal import Columns
package import Files

/// The models of consecutive users with columns of their own, in the order of users: column by column, as they are written.
package struct OwnModels: Sendable {
  package private(set) var observations: [UInt32] = []
  package private(set) var bases: [Double] = []
  package private(set) var intercepts: [Double] = []
  package private(set) var residualSumsOfSquares: [Double] = []
  package private(set) var termCounts: [Int] = []
  /// The terms of all users, user by user.
  package private(set) var columns: [UInt32] = []
  package private(set) var coefficients: [Double] = []
  package private(set) var means: [Double] = []

  package init() {}

  /// Adds a term to the model of the next user.
  package mutating func appendTerm(column: UInt32, coefficient: Double, mean: Double) {
    columns.append(column)
    coefficients.append(coefficient)
    means.append(mean)
  }

  /// Completes the next user's model, whose last `terms` terms were added.
  package mutating func append(
    observations: Int, base: Double, intercept: Double, residualSumOfSquares: Double, terms: Int
  ) {
    self.observations.append(UInt32(clamping: observations))
    bases.append(base)
    intercepts.append(intercept)
    residualSumsOfSquares.append(residualSumOfSquares)
    termCounts.append(terms)
  }

  /// Adds the next user, who has no model.
  package mutating func appendNone() {
    append(observations: 0, base: .nan, intercept: .nan, residualSumOfSquares: .nan, terms: 0)
  }
}

extension ModelTable {
  /// Writes the models of all users, in `chunks` one after the other.
  package static func write(
    _ chunks: [OwnModels], columns: [String], to directory: inout StageDirectory, in folder: String = "",
    threads: Int = 1
  ) throws(FileError) {
    try StringColumn.write(columns.map { Array($0.utf8) }, to: folder + "columns", in: &directory)
    try directory.writeTogether(
      threads: threads,
      [
        Column.writing(chunks.map(\.coefficients), to: folder + "terms.coefficient.npy"),
        Column.writing(chunks.map(\.means), to: folder + "terms.mean.npy"),
        Column.writing(chunks.map(\.columns), to: folder + "terms.column.npy"),
        Column.writing(chunks.map(\.observations), to: folder + "observations.npy"),
        Column.writing(chunks.map(\.bases), to: folder + "base.npy"),
        Column.writing(chunks.map(\.intercepts), to: folder + "intercept.npy"),
        Column.writing(
          chunks.map(\.residualSumsOfSquares), to: folder + "residual_sum_of_squares.npy"),
        Column.writing([offsets(chunks.map(\.termCounts))], to: folder + "terms.offsets.npy"),
      ])
  }

  /// Where the terms of each user begin, and where the last one's end.
  static func offsets(_ termCounts: [[Int]]) -> [UInt64] {
    var (offsets, last) = ([0] as [UInt64], 0 as UInt64)
    for chunk in termCounts {
      for count in chunk {
        last += UInt64(count)
        offsets.append(last)
      }
    }
    return offsets
  }
}
