internal import Columns
internal import Features

/// The design matrix of one user's regression, with the columns of Create ML's linear regressor.
///
/// Each worker has its own instance; `load` reuses the buffers.
struct LearningDesign {
  /// A column of the feature space. Words that do not occur in the rows have no column.
  struct DesignColumn {
    var column: UInt32
    /// The mean over the rows, in original units.
    var mean: Double
    /// The divisor of the values; `nil` if the column has no coefficient. This is the case for the baseline
    /// word of a category, and for a column whose known values are all 0 or nearly 0.
    var scale: Double?
  }

  /// The columns in the order of features. The words of a category are in order of first occurrence.
  private(set) var columns: [DesignColumn] = []
  /// The n × p design matrix in column-major order, which contains the columns with a scale. The first value
  /// of a column is subtracted, and the differences are divided by the scale. The buffer can be longer.
  private(set) var matrix: [Double] = []
  /// The number of rows, n. `scaledCount` is the number of columns with a scale, p.
  private(set) var rowCount = 0
  private(set) var scaledCount = 0
  private(set) var response: [Double] = []

  private var block: LearningBlock
  private let features: [BoundFeature]
  /// The codes of one category's words, in order of first occurrence in the user's rows. `placeOfCode`
  /// contains the index of each code in `met`, or -1.
  private var met: [UInt32] = []
  private var placeOfCode: [Int32] = []
  private var counts: [Int] = []

  init(_ rows: LearningRows) {
    block = LearningBlock(rows.source)
    features = rows.space.features
    let widest = features.map(\.width).max() ?? 0
    placeOfCode = [Int32](repeating: -1, count: widest)
  }

  /// Loads the learning rows with the indices `rows`, which all belong to `user`.
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

  /// Extends the matrix by one column and returns the index of the column's first element.
  private mutating func grow() -> Int {
    let end = (scaledCount + 1) * rowCount
    if matrix.count < end { matrix += [Double](repeating: 0, count: max(end, matrix.count)) }
    scaledCount += 1
    return end - rowCount
  }

  /// Appends a dummy column for every word in the rows except the first, which is the baseline.
  ///
  /// A row without a word has zeros in all dummy columns. In predictions, a word that the rows do not contain
  /// has zeros, too.
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
      // At least two words occur, so there are at least two rows and the divisor is positive.
      let squares = ones * (1 - mean) * (1 - mean) + (number - ones) * mean * mean
      let scale = (mean * mean + squares / (number - 1)).squareRoot()
      columns.append(DesignColumn(column: column, mean: mean, scale: scale))
      // The first row has the baseline word or no word, so its value is 0.
      let first = grow()
      let one = 1 / scale
      for row in 0..<rowCount { matrix[first + row] = block.codes[base + row] == code ? one : 0 }
    }
  }

  /// Appends one column. The mean of the known values replaces missing values (NaN), so that missing values
  /// contribute nothing.
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
    // Values are divided by `binade`, the power of two at or just below the largest magnitude. Squares of
    // values that ingest accepts (up to 1e100) then stay finite. Division by a power of two is exact.
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
    // The sample variance over all rows (divisor n - 1); 0 for a single row.
    let variance = rowCount > 1 ? squares / Double(rowCount - 1) : 0
    let scale = (mean * mean + variance).squareRoot()
    // `scale` is 0 only if rounding made both mean and spread 0.
    guard scale > 0 else {
      scaledCount -= 1
      columns.append(DesignColumn(column: UInt32(column), mean: mean * unit, scale: nil))
      return
    }
    columns.append(DesignColumn(column: UInt32(column), mean: mean * unit, scale: scale * unit))
    // Subtracting the first value changes only the free intercept. A column far from 0 then keeps its
    // precision, and a constant column is exactly 0.
    let first = matrix[start]
    for row in start..<start + rowCount { matrix[row] = (matrix[row] - first) / scale }
  }

  /// The smallest scale. With a smaller scale, a coefficient in original units could overflow a `Double`.
  private static let smallestScale = 1e-100
}
