/// One user's model by column, in buffers that are reused from one user to the next. Use this type to iterate
/// over the models of many users. Creating a `UserModel` for each user would take longer than computing with
/// the model.
package struct ColumnModel: Sendable {
  /// The prediction if every column has its mean.
  package internal(set) var base = 0.0
  /// The model's treatment of a candidate whose category is missing.
  package internal(set) var missingCategory = UserModel.MissingCategory.baseline
  /// The columns of the model's terms, in the order of the terms.
  package internal(set) var columns: [UInt32] = []
  /// The coefficients by column, in the column's original units; 0 for a column without a term.
  package internal(set) var coefficients: [Double] = []
  /// The means over the learning rows, by column; 0 for a column without a term.
  package internal(set) var means: [Double] = []

  package init() {}

  /// Removes all terms, and resizes the buffers if the number of columns changed.
  mutating func removeTerms(columnCount: Int) {
    guard coefficients.count == columnCount else {
      columns.removeAll(keepingCapacity: true)
      coefficients = Array(repeating: 0, count: columnCount)
      means = coefficients
      return
    }
    Self.clear(columns, in: &coefficients)
    Self.clear(columns, in: &means)
    columns.removeAll(keepingCapacity: true)
  }

  /// Appends a term for each shared column, unless `values` is empty.
  mutating func append(_ shared: [PriorTable.SharedColumn], coefficients values: Span<Double>) {
    let terms = 0..<min(shared.count, values.count)
    for term in terms { columns.append(shared[term].column) }
    Self.set(&coefficients, shared, terms) { values[$0] }
    Self.set(&means, shared, terms) { shared[$0].mean }
  }

  private static func clear(_ columns: [UInt32], in numbers: inout [Double]) {
    var numbers = numbers.mutableSpan
    for column in columns { numbers[Int(column)] = 0 }
  }

  @inline(__always)
  private static func set(
    _ numbers: inout [Double], _ shared: [PriorTable.SharedColumn], _ terms: Range<Int>,
    _ number: (_ term: Int) -> Double
  ) {
    var numbers = numbers.mutableSpan
    for term in terms { numbers[Int(shared[term].column)] = number(term) }
  }

  mutating func append(column: UInt32, coefficient: Double, mean: Double) {
    columns.append(column)
    coefficients[Int(column)] = coefficient
    means[Int(column)] = mean
  }
}
