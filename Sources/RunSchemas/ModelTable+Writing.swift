internal import Columns
package import Files

extension ModelTable {
  /// Writes one model for each user; `nil` for a user without a model. Each model has its own columns.
  /// `columns` contains the names of all columns of the feature space.
  package static func write(_ models: [UserModel?], columns: [String], to directory: inout StageDirectory)
    throws(FileError)
  {
    var chunk = OwnModels()
    for model in models {
      guard let model else {
        chunk.appendNone()
        continue
      }
      for term in model.terms {
        chunk.appendTerm(column: term.column, coefficient: term.coefficient, mean: term.mean)
      }
      chunk.append(
        observations: model.observations, base: model.base, intercept: model.intercept,
        residualSumOfSquares: model.residualSumOfSquares, terms: model.terms.count)
    }
    try write([chunk], columns: columns, to: &directory)
  }

  /// Writes the models of all users. `chunks` are in the order of users.
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

  /// Returns the start of each user's terms, followed by the end of the last user's terms.
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
