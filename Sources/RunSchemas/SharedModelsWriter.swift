internal import Columns
package import Files

/// Writes the models of all users with the columns of a `PriorTable`, while later models are still being
/// fitted.
///
/// Terms are written immediately, because the tens of millions of terms of a million users would take most of
/// the memory. All other values are written by `finish`.
package struct SharedModelsWriter: ~Copyable {
  private let folder: String
  private var coefficients: ColumnWriter<Double>
  private var errors: ColumnWriter<Double>
  /// The models that were written, without their terms.
  private var chunks: [SharedModels] = []

  /// Starts the columns of terms.
  ///
  /// - Parameters:
  ///   - directory: The destination.
  ///   - folder: The folder in `directory`, with a `/` at the end; empty for `directory` itself.
  ///   - terms: The total number of terms of all users.
  /// - Throws: `FileError` if a file cannot be created.
  package init(in directory: inout StageDirectory, folder: String, terms: Int) throws(FileError) {
    let coefficients = try directory.open(folder + "terms.coefficient.npy", Double.self, count: terms)
    let errors = try directory.open(folder + "terms.standard_error.npy", Double.self, count: terms)
    self.folder = folder
    self.coefficients = coefficients
    self.errors = errors
  }

  /// The running digests of the files of terms.
  package struct Digests: Sendable {
    fileprivate let coefficients: RunningDigest
    fileprivate let errors: RunningDigest

    /// Adds the terms of the next users to the digests.
    package func update(_ models: SharedModels) {
      coefficients.update(models.coefficients)
      errors.update(models.errors)
    }
  }

  /// The digests of the terms, which another thread may update. Update the digests with the models in the
  /// order of users. Update them with each model before `append(digested:)` writes the model.
  package var digests: Digests { Digests(coefficients: coefficients.digest, errors: errors.digest) }

  /// Writes the terms of the models of the next users. Update `digests` with these models first.
  ///
  /// - Throws: `FileError` if the terms cannot be written.
  package mutating func append(digested models: SharedModels) throws(FileError) {
    try coefficients.append(digested: models.coefficients)
    try errors.append(digested: models.errors)
    var models = models
    models.removeTerms()
    chunks.append(models)
  }

  /// The number of users with learning rows among the models written so far.
  package var activeUsers: Int { chunks.reduce(0) { $0 + $1.observations.count { $0 > 0 } } }

  /// Completes the columns of terms, and writes all other columns and the tables of `prior`.
  ///
  /// - Parameters:
  ///   - prior: The prior of the models.
  ///   - columns: The names of the columns of the feature space.
  ///   - directory: The destination that the initializer received.
  ///   - threads: The maximum number of threads.
  /// - Throws: `FileError` if a file cannot be written.
  package consuming func finish(
    _ prior: PriorTable, columns: [String], to directory: inout StageDirectory, threads: Int
  ) throws(FileError) {
    let (folder, chunks) = (folder, chunks)
    try directory.close(coefficients)
    try directory.close(errors)
    try StringColumn.write(columns.map { Array($0.utf8) }, to: folder + "columns", in: &directory)
    try prior.write(to: &directory, in: folder)
    try directory.writeTogether(
      threads: threads,
      [
        Column.writing(chunks.map(\.observations), to: folder + "observations.npy"),
        Column.writing(chunks.map(\.groups), to: folder + "group.npy"),
        Column.writing(chunks.map(\.bases), to: folder + "base.npy"),
        Column.writing(chunks.map(\.baseErrors), to: folder + "base_standard_error.npy"),
        Column.writing(chunks.map(\.intercepts), to: folder + "intercept.npy"),
        Column.writing(
          chunks.map(\.residualSumsOfSquares), to: folder + "residual_sum_of_squares.npy"),
        Column.writing(chunks.map(\.predictionErrors), to: folder + "prediction_standard_error.npy"),
        Column.writing(
          [ModelTable.offsets(chunks.map(\.termCounts))], to: folder + "terms.offsets.npy"),
      ])
  }
}

extension ModelTable {
  /// Writes the models of all users, and the tables of `prior`.
  package static func write(
    _ models: SharedModels, _ prior: PriorTable, columns: [String], to directory: inout StageDirectory,
    in folder: String = "", threads: Int = 1
  ) throws(FileError) {
    var writer = try SharedModelsWriter(in: &directory, folder: folder, terms: models.coefficients.count)
    writer.digests.update(models)
    try writer.append(digested: models)
    try writer.finish(prior, columns: columns, to: &directory, threads: threads)
  }
}
