internal import Columns
package import Files

extension ModelTable {
  /// Copies the models of a directory for a subset of users and columns.
  ///
  /// A column may be left out only if its value is 0 for every remaining user and candidate. The contribution
  /// of an omitted column is added to the base, so predictions stay the same except for rounding.
  ///
  /// - Parameters:
  ///   - source: A directory of models.
  ///   - keepsUser: Returns whether to keep the model of the user at a row.
  ///   - columns: The names of the new columns.
  ///   - oldColumns: The index in `source` of each new column; `nil` for a column without terms in any model.
  ///   - directory: The destination.
  ///   - folder: The folder in `directory`, with a `/` at the end; empty for `directory` itself.
  /// - Throws: `FileError` if the models cannot be read or written.
  package static func write(
    from source: String, keepsUser: (Int) -> Bool, columns: [String], oldColumns: [Int?],
    to directory: inout StageDirectory, in folder: String = ""
  ) throws(FileError) {
    // Opening the table checks lengths and ranges, so that `ModelColumns` can index without checks.
    let table = try ModelTable(source, columns: StringColumn(source + "/columns").strings)
    let models = try ModelColumns(source, table.prior)
    var newColumns: [Int: UInt32] = [:]
    for (new, old) in oldColumns.enumerated() {
      if let old { newColumns[old] = UInt32(new) }
    }
    guard let prior = models.prior else {
      try write(
        [models.own(keepsUser: keepsUser, newColumns)], columns: columns, to: &directory, in: folder)
      return
    }
    try write(
      models.shared(prior, keepsUser: keepsUser, newColumns), prior.keeping(newColumns), columns: columns,
      to: &directory, in: folder)
  }
}

/// The columns of a directory of models.
private struct ModelColumns {
  let prior: PriorTable?
  private let directory: String
  private let observations: [UInt32]
  private let base: [Double]
  private let intercept: [Double]
  private let residuals: [Double]
  private let offsets: [UInt64]
  private let coefficient: [Double]
  private let column: [UInt32]
  private let mean: [Double]
  private let group: [UInt32]
  private let error: [Double]
  private let baseError: [Double]
  private let predictionError: [Double]

  init(_ directory: String, _ prior: PriorTable?) throws(FileError) {
    func numbers(_ name: String) throws(FileError) -> [Double] {
      try Column<Double>("\(directory)/\(name).npy").elements
    }
    func codes(_ name: String) throws(FileError) -> [UInt32] {
      try Column<UInt32>("\(directory)/\(name).npy").elements
    }
    self.directory = directory
    let isShared = prior != nil
    self.prior = prior
    observations = try codes("observations")
    base = try numbers("base")
    intercept = try numbers("intercept")
    residuals = try numbers("residual_sum_of_squares")
    offsets = try Column<UInt64>(directory + "/terms.offsets.npy").elements
    coefficient = try numbers("terms.coefficient")
    column = isShared ? [] : try codes("terms.column")
    mean = isShared ? [] : try numbers("terms.mean")
    group = isShared ? try codes("group") : []
    error = isShared ? try numbers("terms.standard_error") : []
    baseError = isShared ? try numbers("base_standard_error") : []
    predictionError = isShared ? try numbers("prediction_standard_error") : []
  }

  private func terms(_ user: Int) -> Range<Int> { Int(offsets[user])..<Int(offsets[user + 1]) }

  func own(keepsUser: (Int) -> Bool, _ newColumns: [Int: UInt32]) -> OwnModels {
    var models = OwnModels()
    for user in observations.indices where keepsUser(user) {
      var (base, count) = (base[user], 0)
      for term in terms(user) {
        if let new = newColumns[Int(column[term])] {
          models.appendTerm(column: new, coefficient: coefficient[term], mean: mean[term])
          count += 1
        } else {
          base -= coefficient[term] * mean[term]
        }
      }
      models.append(
        observations: Int(observations[user]), base: base, intercept: intercept[user],
        residualSumOfSquares: residuals[user], terms: count)
    }
    return models
  }

  func shared(
    _ prior: PriorTable, keepsUser: (Int) -> Bool, _ newColumns: [Int: UInt32]
  ) -> SharedModels {
    var models = SharedModels()
    for user in observations.indices where keepsUser(user) {
      var base = base[user]
      var (coefficients, errors): ([Double], [Double]) = ([], [])
      for (shared, term) in zip(prior.columns, terms(user)) {
        if newColumns[Int(shared.column)] != nil {
          coefficients.append(coefficient[term])
          errors.append(error[term])
        } else {
          base -= coefficient[term] * shared.mean
        }
      }
      models.append(
        SharedModels.Figures(
          observations: Int(observations[user]), base: base, baseError: baseError[user],
          intercept: intercept[user], residualSumOfSquares: residuals[user],
          predictionError: predictionError[user]),
        group: group[user], coefficients: coefficients, errors: errors)
    }
    return models
  }
}

extension PriorTable {
  /// Returns the table with only the columns in `newColumns`, renumbered. The bases include the contributions
  /// of the dropped columns, whose value is 0 for all remaining users and candidates.
  fileprivate func keeping(_ newColumns: [Int: UInt32]) -> PriorTable {
    let isKept = columns.map { newColumns[Int($0.column)] != nil }
    func kept(_ values: [Double]) -> [Double] { zip(values, isKept).filter(\.1).map(\.0) }
    return PriorTable(
      columns: columns.compactMap { shared in
        newColumns[Int(shared.column)].map {
          SharedColumn(column: $0, mean: shared.mean, scale: shared.scale)
        }
      },
      groups: groups.map { group in
        var group = group
        for (index, shared) in columns.enumerated() where !isKept[index] {
          group.base -= group.coefficients[index] * shared.mean
        }
        group.coefficients = kept(group.coefficients)
        group.deviations = kept(group.deviations)
        return group
      })
  }
}
