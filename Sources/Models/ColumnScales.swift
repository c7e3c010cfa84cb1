internal import Columns
internal import Concurrency
internal import Features
internal import RunSchemas

/// The columns that all models of a population share, with the center and the scale of each column's values.
///
/// The center is the mean, and the scale is the population standard deviation (divisor n). Both are computed
/// from the known values in all learning rows. Standardized values have mean 0 and standard deviation 1. A
/// missing value becomes 0 and contributes nothing. A column without spread is left out, so it has no
/// coefficient. The values that the model learns to predict are standardized like the columns.
struct ColumnScales: Sendable {
  /// The indices of the columns in the feature space, ascending.
  var columns: [Int]
  /// The mean of each column, in the order of `columns`.
  var means: [Double]
  var deviations: [Double]
  var responseMean: Double
  /// The standard deviation of the values that the model learns to predict; 1 if all values are equal.
  var responseDeviation: Double

  /// The number of parameters: the base and one coefficient per column.
  var parameterCount: Int { columns.count + 1 }

  /// Returns the standardized form of a value that the model learns to predict: (value - mean) / deviation.
  func response(_ value: Double) -> Double { (value - responseMean) / responseDeviation }

  /// Writes z = (1, x), where x contains the standardized values of `row`.
  func standardize(_ row: [Double], into z: inout [Double]) {
    z[0] = 1
    for place in columns.indices {
      let value = row[columns[place]]
      z[place + 1] = value.isNaN ? 0 : (value - means[place]) / deviations[place]
    }
  }

  /// Returns the scales of only those columns for which `isKept` returns true.
  func keeping(_ isKept: (Int) -> Bool) -> ColumnScales {
    var kept = self
    let places = columns.indices.filter { isKept(columns[$0]) }
    kept.columns = places.map { columns[$0] }
    kept.means = places.map { means[$0] }
    kept.deviations = places.map { deviations[$0] }
    return kept
  }
}

extension ColumnScales {
  /// Computes the scales over all learning rows.
  init(_ rows: LearningRows, threads: Int) {
    let width = rows.space.columns.count
    let chunkSize = rows.chunkSize(bytes: (width + 1) * MemoryLayout<RunningMoments>.stride)
    let chunks = parallelMap(count: rows.userCount, chunkSize: chunkSize, threads: threads) { chunk in
      var moments = ColumnMoments(rows.space)
      var block = LearningBlock(rows.source)
      for user in chunk {
        block.read(rows.table.range(ofUser: user), of: user)
        moments.add(block)
      }
      return moments
    }
    var total = ColumnMoments(rows.space)
    for chunk in chunks { total.merge(chunk) }
    let (moments, response) = (total.byColumn, total.response)
    columns = (0..<width).filter { moments[$0].deviation > 0 }
    means = columns.map { moments[$0].mean }
    deviations = columns.map { moments[$0].deviation }
    responseMean = response.mean
    responseDeviation = response.deviation > 0 ? response.deviation : 1
  }
}

/// The moments of every column of a feature space, and of the values that the model learns to predict.
private struct ColumnMoments: Sendable {
  let categories: [BoundFeature]
  /// The columns of all other features.
  let others: [Int]
  let width: Int
  private var values: [RunningMoments]
  /// The number of rows for each category and code. `known` contains the number of rows with a code, for each
  /// category.
  private var counts: [[Int]]
  private var known: [Int]
  private(set) var response = RunningMoments()

  init(_ space: FeatureSpace) {
    categories = space.categoryFeatures
    others = space.otherColumns
    width = space.columns.count
    values = others.map { _ in RunningMoments() }
    counts = categories.map { [Int](repeating: 0, count: $0.width) }
    known = categories.map { _ in 0 }
  }

  /// Adds the rows that `block` has read.
  mutating func add(_ block: borrowing LearningBlock) {
    response.add(block.responses, 0..<block.count)
    for place in others.indices {
      let base = place * block.capacity
      values[place].add(block.values, base..<base + block.count)
    }
    for place in categories.indices {
      let base = place * block.capacity
      for row in base..<base + block.count where block.codes[row] != CategoryColumn.missing {
        counts[place][Int(block.codes[row])] += 1
        known[place] += 1
      }
    }
  }

  mutating func merge(_ other: ColumnMoments) {
    response.merge(other.response)
    for place in others.indices { values[place].merge(other.values[place]) }
    for place in categories.indices {
      known[place] += other.known[place]
      for code in counts[place].indices { counts[place][code] += other.counts[place][code] }
    }
  }

  var byColumn: [RunningMoments] {
    var moments = [RunningMoments](repeating: RunningMoments(), count: width)
    for (column, own) in zip(others, values) { moments[column] = own }
    for (place, feature) in categories.enumerated() {
      for (column, ones) in zip(feature.columns, counts[place]) {
        moments[column] = RunningMoments(ones: ones, of: known[place])
      }
    }
    return moments
  }
}

/// The running mean and sum of squared deviations of one column. `merge` combines the moments of two parts of
/// a column.
///
/// Source: Chan, Golub and LeVeque 1983, doi:10.1080/00031305.1983.10483115.
struct RunningMoments: Sendable {
  private(set) var count = 0.0
  private(set) var mean = 0.0
  private var squares = 0.0

  init() {}

  /// Creates the moments of a column that is 1 in `ones` of `count` rows and 0 in the other rows.
  init(ones: Int, of count: Int) {
    self.count = Double(count)
    guard count > 0 else { return }
    mean = Double(ones) / Double(count)
    squares = Double(ones) * (Double(count - ones) / Double(count))
  }

  /// Adds the elements of `values` in `range`; missing values (NaN) are skipped.
  mutating func add(_ values: [Double], _ range: Range<Int>) {
    let own = values.span.extracting(range)
    var part = RunningMoments()
    var sum = 0.0
    for place in own.indices where !own[place].isNaN {
      part.count += 1
      sum += own[place]
    }
    guard part.count > 0 else { return }
    part.mean = sum / part.count
    for place in own.indices where !own[place].isNaN {
      let difference = own[place] - part.mean
      part.squares += difference * difference
    }
    merge(part)
  }

  mutating func merge(_ other: RunningMoments) {
    guard other.count > 0 else { return }
    let difference = other.mean - mean
    let sum = count + other.count
    squares += other.squares + difference * difference * (count / sum * other.count)
    mean += difference * (other.count / sum)
    count = sum
  }

  /// The population standard deviation (divisor n). It is 0 if the spread is only rounding error, or if a
  /// coefficient in original units could overflow a `Double`.
  var deviation: Double {
    guard count > 0 else { return 0 }
    let deviation = (squares / count).squareRoot()
    return deviation > max(1e-10 * abs(mean), 1e-100) ? deviation : 0
  }
}
