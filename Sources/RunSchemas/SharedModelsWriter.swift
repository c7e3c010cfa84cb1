internal import Columns
package import Files

/// Writes the models of all users on the columns of a `PriorTable` while others are still learned.
///
/// Terms are written as they come: a million users have tens of millions of them, which would be most of what is in memory. All
/// else waits for `finish`.
package struct SharedModelsWriter: ~Copyable {
  private let folder: String
  private var coefficients: ColumnWriter<Double>
  private var errors: ColumnWriter<Double>
  /// Without their terms.
  private var chunks: [SharedModels] = []

  /// Begins the columns of terms.
  ///
  /// - Parameters:
  ///   - directory: Receives the files.
  ///   - folder: Where in it, with a `/` at the end; empty for the directory itself.
  ///   - terms: How many terms all users will have together.
  /// - Throws: `FileError`.
  package init(in directory: inout StageDirectory, folder: String, terms: Int) throws(FileError) {
    let coefficients = try directory.open(folder + "terms.coefficient.npy", Double.self, count: terms)
    let errors = try directory.open(folder + "terms.standard_error.npy", Double.self, count: terms)
    self.folder = folder
    self.coefficients = coefficients
    self.errors = errors
  }

  /// What digests terms.
  package struct Digests: Sendable {
    fileprivate let coefficients: RunningDigest
    fileprivate let errors: RunningDigest

    /// Takes the terms of the users behind those before.
    package func update(_ models: SharedModels) {
      coefficients.update(models.coefficients)
      errors.update(models.errors)
    }
  }

  /// What gets all models, in the order of users, before `append(digested:)` does, may be by another thread.
  package var digests: Digests { Digests(coefficients: coefficients.digest, errors: errors.digest) }

  /// Adds models that `digests` was given, of the users behind those before.
  ///
  /// - Throws: `FileError`.
  package mutating func append(digested models: SharedModels) throws(FileError) {
    try coefficients.append(digested: models.coefficients)
    try errors.append(digested: models.errors)
    var models = models
    models.removeTerms()
    chunks.append(models)
  }

  /// How many users had interactions to learn from, so far.
  package var activeUsers: Int { chunks.reduce(0) { $0 + $1.observations.count { $0 > 0 } } }

  /// Ends the columns of terms, and writes all others and the tables of `prior`.
  ///
  /// - Parameters:
  ///   - prior: What the models lean on.
  ///   - columns: The names of the columns of the feature space.
  ///   - directory: As at the beginning.
  ///   - threads: At most so many.
  /// - Throws: `FileError`.
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
