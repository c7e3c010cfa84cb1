internal import Columns
internal import Features

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
  /// The columns with a scale, less their first value and divided by it: `n × p`, column-major, and what else the buffer
  /// has room for.
  private(set) var matrix: [Double] = []
  /// n, and p.
  private(set) var rowCount = 0
  private(set) var scaledCount = 0
  private(set) var response: [Double] = []

  private var block: LearningBlock
  private let features: [BoundFeature]
  /// The codes met in a user's rows of one category, in order, and by code their place there.
  private var met: [UInt32] = []
  private var placeOfCode: [Int32] = []
  private var counts: [Int] = []

  init(_ rows: LearningRows) {
    block = LearningBlock(rows.source)
    features = rows.space.features
    let widest = features.map(\.width).max() ?? 0
    placeOfCode = [Int32](repeating: -1, count: widest)
  }

  /// Loads the interactions `rows` of `user`.
  mutating func load(_ rows: Range<Int>, of user: Int) {
    block.read(rows, of: user)
    rowCount = rows.count
    scaledCount = 0
    columns.removeAll(keepingCapacity: true)
    response.removeAll(keepingCapacity: true)
    for row in 0..<rowCount { response.append(block.responses[row]) }
    var (category, column) = (0, 0)
    for feature in features {
      if feature.isCategory {
        appendDummies(base: category * block.capacity, firstColumn: feature.firstColumn)
        category += 1
        continue
      }
      for own in feature.columns {
        append(base: column * block.capacity, column: own)
        column += 1
      }
    }
  }

  /// Makes room in the matrix for one more column; returns where it begins.
  private mutating func grow() -> Int {
    let end = (scaledCount + 1) * rowCount
    if matrix.count < end { matrix += [Double](repeating: 0, count: max(end, matrix.count)) }
    scaledCount += 1
    return end - rowCount
  }

  /// A column of zeros and ones for every category met but the first, which is the baseline.
  ///
  /// A row without a category has zeros in all of them, as a category that was never met has later.
  private mutating func appendDummies(base: Int, firstColumn: Int) {
    met.removeAll(keepingCapacity: true)
    counts.removeAll(keepingCapacity: true)
    for row in base..<base + rowCount {
      let code = block.codes[row]
      guard code != CategoryColumn.missing else { continue }
      if placeOfCode[Int(code)] < 0 {
        placeOfCode[Int(code)] = Int32(met.count)
        met.append(code)
        counts.append(0)
      }
      counts[Int(placeOfCode[Int(code)])] += 1
    }
    let number = Double(rowCount)
    for (order, code) in met.enumerated() {
      placeOfCode[Int(code)] = -1
      let (ones, column) = (Double(counts[order]), UInt32(firstColumn) + code)
      let mean = ones / number
      guard order > 0 else {
        columns.append(DesignColumn(column: column, mean: mean, scale: nil))
        continue
      }
      // Two categories are met, so there are two rows.
      let squares = ones * (1 - mean) * (1 - mean) + (number - ones) * mean * mean
      let scale = (mean * mean + squares / (number - 1)).squareRoot()
      columns.append(DesignColumn(column: column, mean: mean, scale: scale))
      // The first row is of the baseline or of none: 0.
      let first = grow()
      let one = 1 / scale
      for row in 0..<rowCount { matrix[first + row] = block.codes[base + row] == code ? one : 0 }
    }
  }

  /// One column; missing values (NaN) take the mean of the others, so that they contribute nothing.
  private mutating func append(base: Int, column: Int) {
    let range = base..<base + rowCount
    var (known, largest) = (0, 0.0)
    for place in range where !block.values[place].isNaN {
      known += 1
      largest = max(largest, abs(block.values[place]))
    }
    guard largest >= Self.smallestScale else {
      columns.append(DesignColumn(column: UInt32(column), mean: 0, scale: nil))
      return
    }
    // In units of the largest value's binade: squares of what ingest lets through (up to 1e100) stay finite, and
    // the division by a power of two is exact.
    let unit = largest.binade
    var sum = 0.0
    for place in range where !block.values[place].isNaN { sum += block.values[place] / unit }
    let mean = sum / Double(known)
    let start = grow()
    var squares = 0.0
    for row in 0..<rowCount {
      let value = block.values[base + row]
      let filled = value.isNaN ? mean : value / unit
      matrix[start + row] = filled
      squares += (filled - mean) * (filled - mean)
    }
    // The n-1 standard deviation over all rows; 0 for a single row.
    let variance = rowCount > 1 ? squares / Double(rowCount - 1) : 0
    let scale = (mean * mean + variance).squareRoot()
    // `scale` is 0 only for a column whose mean and spread both vanished in rounding.
    guard scale > 0 else {
      scaledCount -= 1
      columns.append(DesignColumn(column: UInt32(column), mean: mean * unit, scale: nil))
      return
    }
    columns.append(DesignColumn(column: UInt32(column), mean: mean * unit, scale: scale * unit))
    // Less the first value, which the free intercept makes good: what varies in a column far from 0 keeps its
    // digits, and a constant column is exactly 0.
    let first = matrix[start]
    for row in start..<start + rowCount { matrix[row] = (matrix[row] - first) / scale }
  }

  /// Under it a coefficient in original units could leave the range of a `Double`.
  private static let smallestScale = 1e-100
}
