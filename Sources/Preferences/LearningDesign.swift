internal import Features
internal import Geohash
internal import Tables

/// The rows that one user learns from, column by column, as Create ML's linear regressor lays them out.
///
/// One per worker; `load` reuses the buffers.
struct LearningDesign {
  /// A column of the feature space that the rows know.
  struct DesignColumn {
    var column: UInt32
    /// Mean over the rows, in original units.
    var mean: Double
    /// What values were divided by; `nil` for a column without a coefficient: a baseline category, or one whose
    /// values are all 0.
    var scale: Double?
  }

  /// In the order of features; a feature's categories in the order met.
  private(set) var columns: [DesignColumn] = []
  /// The columns with a scale, less their first value and divided by it: `n × p`, column-major.
  private(set) var matrix: [Double] = []
  private(set) var response: [Double] = []

  /// Loads the interactions `rows` of `user`.
  mutating func load(_ rows: Range<Int>, of user: Int, from table: InteractionTable, in space: FeatureSpace) {
    columns.removeAll(keepingCapacity: true)
    matrix.removeAll(keepingCapacity: true)
    response = rows.map { table.value[$0] }
    let candidates = rows.map { Int(table.candidate[$0]) }
    for feature in space.features {
      switch feature.values {
      case .category(let codes, _):
        appendDummies(candidates.map { codes[$0] }, firstColumn: feature.firstColumn)
      case .number(let values, _, _):
        append(candidates.map { values[$0] }, column: feature.firstColumn)
      case .distance:
        let origin = space.users[user].map(DistanceOrigin.init)
        let distances = candidates.map { space.candidates.distanceInKilometers(from: origin, to: $0) }
        append(distances, column: feature.firstColumn)
      case .received(let rates):
        let values = rows.map { rates.leavingOut($0, user: user, candidate: Int(table.candidate[$0])) }
        append(values, column: feature.firstColumn)
      case .same, .difference, .overlap, .text:
        var row = [Double](repeating: 0, count: space.columns.count)
        var values = feature.columns.map { _ in [] as [Double] }
        for index in rows {
          // No distance: none of these needs it.
          space.fill(
            &row, user: user, candidate: Int(table.candidate[index]), distance: .nan, learningFrom: index)
          for (place, column) in feature.columns.enumerated() { values[place].append(row[column]) }
        }
        for (place, column) in feature.columns.enumerated() { append(values[place], column: column) }
      }
    }
  }

  /// A column of zeros and ones for every category met but the first, which is the baseline.
  ///
  /// A row without a category has zeros in all of them, as a category that was never met has later.
  private mutating func appendDummies(_ codes: [UInt32], firstColumn: Int) {
    var met: [UInt32] = []
    for code in codes where code != CategoryColumn.missing && !met.contains(code) { met.append(code) }
    for (order, code) in met.enumerated() {
      let values = codes.map { $0 == code ? 1.0 : 0.0 }
      if order == 0 {
        let mean = values.reduce(0, +) / Double(values.count)
        columns.append(DesignColumn(column: UInt32(firstColumn) + code, mean: mean, scale: nil))
      } else {
        append(values, column: firstColumn + Int(code))
      }
    }
  }

  /// One column; missing values (NaN) take the mean of the others, so that they contribute nothing.
  private mutating func append(_ values: [Double], column: Int) {
    let known = values.filter { !$0.isNaN }
    let largest = known.reduce(0) { max($0, abs($1)) }
    guard largest >= Self.smallestScale else {
      columns.append(DesignColumn(column: UInt32(column), mean: 0, scale: nil))
      return
    }
    // In units of the largest value's binade: squares of what ingest lets through (up to 1e100) stay finite, and
    // the division by a power of two is exact.
    let unit = largest.binade
    let mean = known.reduce(0) { $0 + $1 / unit } / Double(known.count)
    let filled = values.map { $0.isNaN ? mean : $0 / unit }
    let squares = filled.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    // The n-1 standard deviation, over all rows; that of one row is 0.
    let variance = filled.count > 1 ? squares / Double(filled.count - 1) : 0
    let scale = (mean * mean + variance).squareRoot()
    // `scale` is 0 only for a column whose mean and spread both vanished in rounding.
    guard scale > 0 else {
      columns.append(DesignColumn(column: UInt32(column), mean: mean * unit, scale: nil))
      return
    }
    columns.append(DesignColumn(column: UInt32(column), mean: mean * unit, scale: scale * unit))
    // Less the first value, which the free intercept makes good: what varies in a column far from 0 keeps its
    // digits, and a constant column is exactly 0.
    let first = filled.first ?? 0
    matrix += filled.map { ($0 - first) / scale }
  }

  /// Under it a coefficient in original units could leave the range of a `Double`.
  private static let smallestScale = 1e-100
}
