internal import Columns
internal import Features
internal import Files
internal import PipelineFile
internal import RunSchemas

/// The models of a run in long form: for each user with a learned model, a row for the intercept, and then a
/// row for each coefficient. A user without interactions has no row.
struct ModelRows {
  let models: ModelTable
  let users: StringColumn
  let threads: Int

  /// Reads the models of `run`, which must have been learned with the features in the pipeline file.
  ///
  /// - Throws: `FileError` if a file of the models is missing or damaged, or does not match the pipeline
  ///   file.
  init(_ model: Pipeline.Model, _ pipeline: Pipeline, _ snapshot: Snapshot, run: String, threads: Int)
    throws(FileError)
  {
    guard let kind = pipeline.interaction(model.learnsFrom),
      let users = snapshot.entities[kind.user.entity]
    else { preconditionFailure("the entity names were checked before") }
    let space = try FeatureSpace(learned: model, in: run, pipeline, snapshot)
    models = try ModelTable(
      model.directory(in: run + "/models"), columns: space.columns, users: users.count)
    self.users = users.ids
    self.threads = threads
  }

  func write(to path: String) throws -> Int {
    let columns = [
      ParquetColumn("user_id", .text), ParquetColumn("column", .text), ParquetColumn("coefficient", .number),
      ParquetColumn("standard_error", .number), ParquetColumn("learning_mean", .number),
      ParquetColumn("observations", .integer),
      ParquetColumn("base", .number), ParquetColumn("intercept", .number),
      ParquetColumn("residual_sum_of_squares", .number),
    ]
    let longest = users.longest + max(models.columns.longest, Self.intercept.utf8.count)
    return try ParquetFile(path: path, threads: threads).write(columns, longestTexts: longest) { rows in
      for user in 0..<models.count {
        guard let model = models[user], model.observations > 0 else { continue }
        try append(model, of: user, &rows)
      }
    }
  }

  private func append(_ model: UserModel, of user: Int, _ rows: inout ParquetRows) throws {
    rows.append(users.bytes(user))
    rows.append(Self.intercept)
    rows.append(model.intercept)
    rows.appendNothing()
    rows.appendNothing()
    try Self.end(model, &rows)
    for term in model.terms {
      rows.append(users.bytes(user))
      rows.append(models.columns.bytes(Int(term.column)))
      rows.append(term.coefficient)
      rows.append(term.standardError ?? .nan)
      rows.append(term.mean)
      try Self.end(model, &rows)
    }
  }

  /// The name that `nightjar explain` prints for the intercept.
  private static let intercept = "(intercept)"

  /// Appends the figures of the whole model, which every row repeats.
  private static func end(_ model: UserModel, _ rows: inout ParquetRows) throws {
    rows.append(Int64(model.observations))
    rows.append(model.base)
    rows.append(model.intercept)
    rows.append(model.residualSumOfSquares)
    try rows.endRow()
  }
}
