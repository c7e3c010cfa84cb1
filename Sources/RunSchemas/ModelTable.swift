package import Columns
package import Files

/// The models of all users as `nightjar fit` wrote them: one row per user, with terms as compressed sparse
/// rows.
///
/// ```
/// models/columns                      the names of the feature space's columns
/// models/observations.npy             the number of learning rows
/// models/base.npy, intercept.npy, residual_sum_of_squares.npy      NaN for a user without a model
/// models/terms.offsets.npy            the terms of user u are offsets[u]..<offsets[u + 1]
/// models/terms.coefficient.npy
/// ```
///
/// Under Create ML's rules, each user with interactions has their own columns and means:
///
/// ```
/// models/terms.{column,mean}.npy
/// ```
///
/// Without these rules, `PriorTable` contains the columns and means, and a user without terms has the model
/// of the group:
///
/// ```
/// models/group.npy                    the group in `PriorTable`; 2³² - 1 for a user without a group
/// models/{base_standard_error,prediction_standard_error,terms.standard_error}.npy
/// ```
///
/// Each of several named models has a folder, `models/<name>/`.
package struct ModelTable: Sendable {
  package let columns: StringColumn
  /// The prior of the models; `nil` under Create ML's rules.
  package let prior: PriorTable?
  private let observations: Column<UInt32>
  private let base: Column<Double>
  private let intercept: Column<Double>
  private let residualSumOfSquares: Column<Double>
  private let offsets: Column<UInt64>
  private let coefficient: Column<Double>
  private let layout: Layout
  private let directory: String
  /// The checks that `check(row:)` applies to the terms of one user. Empty if the initializer checked all
  /// terms.
  private let checks: [BlockwiseCheck]

  private enum Layout: Sendable {
    case own(column: Column<UInt32>, mean: Column<Double>)
    case shared(
      PriorTable, group: Column<UInt32>, error: Column<Double>, baseError: Column<Double>,
      predictionError: Column<Double>)
  }

  /// Memory-maps the models in `directory`.
  ///
  /// - Parameters:
  ///   - directory: The directory of models.
  ///   - expected: The names of the columns that the models must have.
  ///   - users: The number of users; `nil` allows any number.
  ///   - isBlockwise: Whether to leave the checks of terms to `check(row:)`. Otherwise, this initializer
  ///     checks the terms of all users.
  /// - Throws: `FileError` if the models cannot be read, are damaged, or were fitted to columns other than
  ///   `expected`. With other columns, scores would be meaningless.
  package init(
    _ directory: String, columns expected: [String], users: Int? = nil, isBlockwise: Bool = false
  ) throws(FileError) {
    self.directory = directory
    columns = try StringColumn(directory + "/columns")
    guard columns.strings == expected else {
      throw FileError(
        .read, directory,
        reason: "the features in the pipeline file have changed since the models were learned",
        advice: "Run the pipeline again.")
    }
    observations = try Column(directory + "/observations.npy")
    let count = users ?? observations.count
    guard observations.count == count else {
      throw FileError(damaged: directory + "/observations.npy", "it does not have one element for each user")
    }
    base = try Column(directory + "/base.npy", count: count)
    intercept = try Column(directory + "/intercept.npy", count: count)
    residualSumOfSquares = try Column(directory + "/residual_sum_of_squares.npy", count: count)
    var terms = TermColumns(isBlockwise: isBlockwise)
    coefficient = try terms.column(directory + "/terms.coefficient.npy")
    let starts = directory + "/terms.offsets.npy"
    offsets = try Column<UInt64>(starts).checked(dividing: coefficient.count, among: count, starts)
    guard PriorTable.exists(in: directory) else {
      layout = try Self.own(directory, &terms, count: coefficient.count, columns: columns.count)
      prior = nil
      checks = terms.checks
      return
    }
    let prior = try PriorTable(directory)
    let groups = directory + "/group.npy"
    let group = try Column<UInt32>(groups, count: count)
      .checked(below: prior.groups.count, or: SharedModels.none, groups)
    for shared in prior.columns where shared.column >= columns.count {
      throw FileError(
        damaged: directory + "/prior.column.npy",
        "it refers to column \(shared.column), which does not exist")
    }
    layout = .shared(
      prior, group: group,
      error: try terms.column(directory + "/terms.standard_error.npy", count: coefficient.count),
      baseError: try Column(directory + "/base_standard_error.npy", count: count),
      predictionError: try Column(directory + "/prediction_standard_error.npy", count: count))
    self.prior = prior
    checks = terms.checks
    try checkTermCounts(directory)
  }

  /// Opens the columns of terms, and collects the checks that `check(row:)` performs later.
  private struct TermColumns {
    let isBlockwise: Bool
    var checks: [BlockwiseCheck] = []

    mutating func column<Element>(_ path: String, count: Int? = nil) throws(FileError) -> Column<Element> {
      guard isBlockwise else { return try Column(path, count: count) }
      let (column, check) = try Column<Element>.blockwise(path, count: count)
      checks.append(check)
      return column
    }
  }

  private static func own(
    _ directory: String, _ terms: inout TermColumns, count: Int, columns: Int
  ) throws(FileError) -> Layout {
    let path = directory + "/terms.column.npy"
    let column: Column<UInt32> = try terms.column(path, count: count)
    return .own(
      column: terms.isBlockwise ? column : try column.checked(below: columns, path),
      mean: try terms.column(directory + "/terms.mean.npy", count: count))
  }

  /// Checks the terms of the user at `row`. Does nothing if the initializer checked all terms.
  ///
  /// - Throws: `FileError` if the model is damaged.
  package func check(row: Int) throws(FileError) {
    guard !checks.isEmpty else { return }
    let range = offsets.range(of: row)
    for check in checks { try check.check(range) }
    guard case .own(let column, _) = layout else { return }
    for term in range where column[term] >= columns.count {
      throw FileError(damaged: directory + "/terms.column.npy", "it refers to a column that does not exist")
    }
  }

  /// Checks that each model has either a term for each shared column or no terms.
  private func checkTermCounts(_ directory: String) throws(FileError) {
    let (offsets, width) = (offsets.span, UInt64(prior?.columns.count ?? 0))
    var others = 0
    for row in 0..<offsets.count - 1 {
      let terms = offsets[row + 1] - offsets[row]
      others += terms != 0 && terms != width ? 1 : 0
    }
    guard others == 0 else {
      throw FileError(
        damaged: directory + "/terms.offsets.npy", "a model lacks the terms of some columns")
    }
  }

  /// The number of users, including those without a model.
  package var count: Int { observations.count }

  /// Returns whether the user at `row` has a model.
  package func hasModel(_ row: Int) -> Bool {
    if observations[row] > 0 { return true }
    guard case .shared(_, let group, _, _, _) = layout else { return false }
    return group[row] != SharedModels.none
  }

  /// The model of the user at `row`; `nil` if the user has neither learning rows nor a group of the prior.
  package subscript(row: Int) -> UserModel? {
    let range = offsets.range(of: row)
    switch layout {
    case .own(let column, let mean):
      guard observations[row] > 0 else { return nil }
      return UserModel(
        observations: Int(observations[row]), base: base[row], intercept: intercept[row],
        residualSumOfSquares: residualSumOfSquares[row],
        terms: range.map {
          UserModel.Term(column: column[$0], coefficient: coefficient[$0], mean: mean[$0])
        })
    case .shared(let prior, let group, let error, let baseError, _):
      guard observations[row] > 0 || group[row] != SharedModels.none else { return nil }
      var model: UserModel
      if range.isEmpty, group[row] != SharedModels.none, observations[row] == 0 || !prior.columns.isEmpty {
        model = prior.model(ofGroup: Int(group[row]))
      } else {
        model = prior.model(
          base: base[row], baseError: baseError[row], coefficients: range.map { coefficient[$0] }[...],
          errors: range.map { error[$0] }[...])
      }
      model.observations = Int(observations[row])
      model.residualSumOfSquares = residualSumOfSquares[row]
      return model
    }
  }

  /// Fills `model` with the model of the user at `row`, by column. The model is the same as from the
  /// subscript, but this function creates no array.
  ///
  /// - Parameters:
  ///   - row: The row of the user.
  ///   - model: The destination.
  /// - Returns: Whether the user has a model.
  package func read(_ row: Int, into model: inout ColumnModel) -> Bool {
    model.removeTerms(columnCount: columns.count)
    let learned = observations[row]
    let range = offsets.range(of: row)
    switch layout {
    case .own(let column, let mean):
      guard learned > 0 else { return false }
      model.base = base[row]
      model.missingCategory = .baseline
      let (columns, coefficients, means) = (column.span, coefficient.span, mean.span)
      for term in range {
        model.append(column: columns[term], coefficient: coefficients[term], mean: means[term])
      }
    case .shared(let prior, let groups, _, _, _):
      let group = groups[row]
      guard learned > 0 || group != SharedModels.none else { return false }
      model.missingCategory = .mean
      if range.isEmpty, group != SharedModels.none, learned == 0 || !prior.columns.isEmpty {
        model.base = prior.groups[Int(group)].base
        let coefficients = prior.groups[Int(group)].coefficients
        model.append(prior.columns, coefficients: coefficients.span)
      } else {
        model.base = base[row]
        model.append(prior.columns, coefficients: coefficient.span.extracting(range))
      }
    }
    return true
  }

  /// Returns the index, in `prior`, of the group of the user at `row`; `nil` if the user has no group.
  package func group(_ row: Int) -> Int? {
    guard case .shared(_, let group, _, _, _) = layout, group[row] != SharedModels.none else { return nil }
    return Int(group[row])
  }

  /// Returns the root mean square of the standard errors of the predictions, over the learning rows of the
  /// user at `row`; `nil` if the model has no standard errors.
  package func predictionStandardError(_ row: Int) -> Double? {
    guard case .shared(_, _, _, _, let error) = layout, !error[row].isNaN else { return nil }
    return error[row]
  }
}
