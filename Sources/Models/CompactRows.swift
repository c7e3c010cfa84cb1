internal import CLanes
internal import Columns
internal import Features

/// One user's rows in a `CompactLayout`: the bins of categories, and standardized vectors over the rows.
///
/// Each worker has its own instance and reuses the buffers. Vectors are stored in blocks of four rows. The
/// last block is padded with zeros in vectors and `missing` in bins, so that the padding adds nothing to any
/// sum.
package struct CompactRows {
  let layout: CompactLayout
  private(set) var count = 0
  private(set) var blockCount = 0
  /// The vectors over the rows: ones, the responses, and one vector per dense column.
  private(set) var vectors: [SIMD4<Double>] = []
  /// The bin of each row, category by category.
  private(set) var bins: [Int32] = []

  var vectorCount: Int { 2 + layout.dense.count }

  package init(_ layout: CompactLayout) { self.layout = layout }

  /// Reserves space for `count` rows, and sets the vector of ones. The caller then sets the other vectors and
  /// the bins.
  package mutating func resize(_ count: Int) {
    self.count = count
    blockCount = (count + 3) / 4
    if vectors.count < vectorCount * blockCount {
      vectors = [SIMD4<Double>](repeating: .zero, count: 2 * vectorCount * blockCount)
    }
    if bins.count < layout.categories.count * blockCount * 4 {
      bins = [Int32](repeating: 0, count: 2 * layout.categories.count * blockCount * 4)
    }
    for block in 0..<count / 4 { vectors[block] = .one }
    if count % 4 != 0 {
      vectors[blockCount - 1] = .zero
      for lane in 0..<count % 4 { vectors[blockCount - 1][lane] = 1 }
    }
    for (place, category) in layout.categories.enumerated() {
      for row in count..<4 * blockCount { bins[place * 4 * blockCount + row] = Int32(category.missing) }
    }
  }

  /// Sets vector `vector` to (value - mean) / deviation, or to 0 if the value is missing (NaN).
  ///
  /// The values are the `count` elements of `source` that start at `base`.
  package mutating func setVector(
    _ vector: Int, _ source: [Double], at base: Int, mean: Double, deviation: Double
  ) {
    let values = source.span.extracting(base..<base + count)
    let (count, blockCount) = (count, blockCount)
    let (first, scale) = (vector * blockCount, 1 / deviation)
    var output = vectors.mutableSpan
    // The precondition keeps each block in bounds. A check per element would cost as much as the computation.
    precondition(
      output.count >= first + blockCount && 4 * blockCount <= count + 3,
      "\(output.count) blocks are too few for the rows")
    for block in 0..<count / 4 {
      let row = 4 * block
      let four = unsafe SIMD4(
        values[unchecked: row], values[unchecked: row + 1], values[unchecked: row + 2],
        values[unchecked: row + 3])
      // This C function is faster than Swift's `replacing`, which compares and selects lane by lane. With
      // `replacing`, this step would take a tenth of the time of a fit.
      unsafe output[unchecked: first + block] = lanes_zero_for_nan((four - mean) * scale)
    }
    guard count % 4 != 0 else { return }
    var four = SIMD4<Double>(repeating: .nan)
    for row in count / 4 * 4..<count { four[row % 4] = values[row] }
    output[first + blockCount - 1] = lanes_zero_for_nan((four - mean) * scale)
  }

  /// Sets the bins of `category` from the `count` codes of `source` that start at `base`.
  package mutating func setBins(_ category: Int, _ source: [UInt32], at base: Int) {
    let codes = source.span.extracting(base..<base + count)
    let own = layout.categories[category]
    let binOfCode = own.binOfCode.span
    let (missing, first, count) = (Int32(own.missing), category * 4 * blockCount, count)
    var output = bins.mutableSpan
    for row in 0..<count {
      output[first + row] = codes[row] == CategoryColumn.missing ? missing : binOfCode[Int(codes[row])]
    }
  }

  /// Loads the rows that `block` has read.
  mutating func load(_ block: LearningBlock) {
    resize(block.count)
    setVector(
      1, block.responses, at: 0, mean: layout.responseMean, deviation: layout.responseDeviation)
    for place in layout.dense.indices {
      let column = layout.dense[place]
      setVector(
        2 + place, block.values, at: column.source * block.capacity, mean: column.mean,
        deviation: column.deviation)
    }
    for place in layout.categories.indices {
      setBins(place, block.codes, at: layout.sources[place] * block.capacity)
    }
  }

  /// Whether all rows are equal in every column. If so, the rows determine only the base.
  var areAllAlike: Bool {
    for vector in 2..<vectorCount {
      for row in 1..<max(1, count) where element(row, vector: vector) != element(0, vector: vector) {
        return false
      }
    }
    for category in layout.categories.indices {
      for row in 1..<max(1, count) where bin(row, category: category) != bin(0, category: category) {
        return false
      }
    }
    return true
  }

  /// Returns element `row` of a vector.
  func element(_ row: Int, vector: Int) -> Double { vectors[vector * blockCount + row / 4][row % 4] }

  /// Returns the bin of `row` in a category.
  func bin(_ row: Int, category: Int) -> Int { Int(bins[category * 4 * blockCount + row]) }

  /// Returns the value of column `j` of a category in `row`.
  func column(_ j: Int, category: Int, row: Int) -> Double {
    let own = layout.categories[category]
    let bin = bin(row, category: category)
    return bin == own.missing ? 0 : bin == j ? own.high[j] : own.low[j]
  }

  /// Writes all columns of `row`, with 1 for the base.
  func write(_ row: Int, into z: inout [Double]) {
    z[0] = 1
    for (place, column) in layout.dense.enumerated() { z[column.parameter] = element(row, vector: 2 + place) }
    for (place, category) in layout.categories.enumerated() {
      for j in 0..<category.width {
        z[category.parameters.lowerBound + j] = column(j, category: place, row: row)
      }
    }
  }
}
