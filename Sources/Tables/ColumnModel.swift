/// One user's model laid out by column, in buffers that are kept from one user to the next: for going through the
/// models of many users, where `UserModel` would cost more to put together than to use.
package struct ColumnModel: Sendable {
  /// The prediction where every column has its mean.
  package internal(set) var base = 0.0
  /// What a candidate without a category counts as.
  package internal(set) var missingCategory = UserModel.MissingCategory.baseline
  /// The columns of the model's terms, in the order of the terms.
  package internal(set) var columns: [UInt32] = []
  /// By column, in original units; 0 for a column without a term.
  package internal(set) var coefficients: [Double] = []
  /// By column, over the learning rows; 0 for a column without a term.
  package internal(set) var means: [Double] = []

  package init() {}

  /// Removes all terms, and makes room for another number of columns where there is another table.
  mutating func removeTerms(columnCount: Int) {
    for column in columns {
      coefficients[Int(column)] = 0
      means[Int(column)] = 0
    }
    columns.removeAll(keepingCapacity: true)
    if coefficients.count != columnCount {
      coefficients = Array(repeating: 0, count: columnCount)
      means = coefficients
    }
  }

  mutating func append(column: UInt32, coefficient: Double, mean: Double) {
    columns.append(column)
    coefficients[Int(column)] = coefficient
    means[Int(column)] = mean
  }
}
