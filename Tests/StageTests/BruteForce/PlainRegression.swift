/// One user's model: Create ML's linear regression in its closed form, solved by Gaussian
/// elimination.
///
/// The columns are latitude, longitude, and a dummy for each business field except the first. Each
/// column is divided by √(mean² + sd²), where sd uses n-1. The penalty 0.01 applies to the scaled
/// coefficients, but not to the intercept.
struct PlainRegression {
  struct Candidate {
    var businessField: String?
    /// The latitude of the cell's center in degrees, or `nil` without a position.
    var latitude: Double?
    var longitude: Double?
  }

  private var fields: [String: (coefficient: Double, mean: Double)] = [:]
  /// The mean of the values.
  let base: Double
  private(set) var latitude: (coefficient: Double, mean: Double) = (0, 0)
  private(set) var longitude: (coefficient: Double, mean: Double) = (0, 0)

  /// Learns from `candidates` in the order of the learning rows. `liked` says whether the user
  /// liked each candidate.
  init(_ candidates: [Candidate], liked: [Bool]) {
    let values = liked.map { $0 ? 1.0 : -1.0 }
    base = Self.mean(values)
    var met: [String] = []
    for case let field? in candidates.map(\.businessField) where !met.contains(field) { met.append(field) }
    var columns = met.dropFirst().map { field in candidates.map { $0.businessField == field ? 1.0 : 0.0 } }
    columns.append(Self.filled(candidates.map(\.latitude)))
    columns.append(Self.filled(candidates.map(\.longitude)))

    let means = columns.map(Self.mean)
    let scales = zip(columns, means).map { column, mean in Self.scale(column, mean) }
    let centered = columns.indices.map { index in
      columns[index].map { scales[index] == 0 ? 0 : ($0 - means[index]) / scales[index] }
    }
    let residuals = values.map { $0 - base }
    var matrix = centered.map { left in centered.map { right in Self.dot(left, right) } }
    for index in matrix.indices { matrix[index][index] += 0.01 }
    let solution = Self.solve(matrix, centered.map { Self.dot($0, residuals) })
    let coefficients = zip(solution, scales).map { $1 == 0 ? 0 : $0 / $1 }

    for (index, field) in met.dropFirst().enumerated() { fields[field] = (coefficients[index], means[index]) }
    latitude = (coefficients[columns.count - 2], means[columns.count - 2])
    longitude = (coefficients[columns.count - 1], means[columns.count - 1])
  }

  /// Returns the contributions of business field, latitude and longitude to the score of
  /// `candidate`.
  func contributions(_ candidate: Candidate) -> [Double] {
    let absent = fields.values.reduce(0) { $0 - $1.coefficient * $1.mean }
    let own = candidate.businessField.flatMap { fields[$0]?.coefficient } ?? 0
    return [
      absent + own, candidate.latitude.map { latitude.coefficient * ($0 - latitude.mean) } ?? 0,
      candidate.longitude.map { longitude.coefficient * ($0 - longitude.mean) } ?? 0,
    ]
  }

  private static func mean(_ values: [Double]) -> Double {
    values.reduce(0, +) / Double(values.count)
  }

  /// Returns the values with missing ones replaced by the mean of the others.
  private static func filled(_ values: [Double?]) -> [Double] {
    let known = values.compactMap { $0 }
    let mean = known.isEmpty ? 0 : mean(known)
    return values.map { $0 ?? mean }
  }

  private static func scale(_ values: [Double], _ mean: Double) -> Double {
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let variance = values.count > 1 ? squares / Double(values.count - 1) : 0
    return (mean * mean + variance).squareRoot()
  }

  private static func dot(_ left: [Double], _ right: [Double]) -> Double {
    zip(left, right).reduce(0) { $0 + $1.0 * $1.1 }
  }

  /// Gaussian elimination that uses the largest pivot of each column.
  private static func solve(_ matrix: [[Double]], _ right: [Double]) -> [Double] {
    var rows = zip(matrix, right).map { $0 + [$1] }
    let count = rows.count
    for column in 0..<count {
      let pivot = (column..<count).max { abs(rows[$0][column]) < abs(rows[$1][column]) } ?? column
      rows.swapAt(column, pivot)
      let top = rows[column]
      for row in column + 1..<count {
        let factor = rows[row][column] / top[column]
        guard factor != 0 else { continue }
        for index in column...count { rows[row][index] -= factor * top[index] }
      }
    }
    var solution = [Double](repeating: 0, count: count)
    for row in (0..<count).reversed() {
      let known = (row + 1..<count).reduce(0) { $0 + rows[row][$1] * solution[$1] }
      solution[row] = (rows[row][count] - known) / rows[row][row]
    }
    return solution
  }
}
