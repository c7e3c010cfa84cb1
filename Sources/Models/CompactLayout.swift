internal import Features

/// The layout of compact rows. The columns of a category are stored as bins, and all other columns as dense
/// vectors.
///
/// A row has one bin per category: the bin of a column, the bin of words without a column, or the bin of
/// missing values. Let s = 1 / deviation and l = -mean / deviation. Column j of the category is s + l in rows
/// of bin j, l in rows of other known bins, and 0 if the category is missing.
package struct CompactLayout: Sendable {
  /// The columns and bins of one category.
  package struct Category: Sendable {
    /// The range of parameters of the category's columns.
    var parameters: Range<Int>
    /// For each column: the value in rows of the column's bin, the value in rows of other known bins, and the
    /// difference of these two values.
    var high: [Double]
    var low: [Double]
    var step: [Double]
    /// The bin of each code of the category.
    var binOfCode: [Int32]

    /// The number of columns. The bins `other` and `missing` follow the bins of the columns.
    package var width: Int { parameters.count }
    var other: Int { width }
    var missing: Int { width + 1 }
    var binCount: Int { width + 2 }

    package init(parameters: Range<Int>, high: [Double], low: [Double], step: [Double], binOfCode: [Int32]) {
      (self.parameters, self.high, self.low) = (parameters, high, low)
      (self.step, self.binOfCode) = (step, binOfCode)
    }
  }

  /// One column of a feature that is not a category.
  package struct Dense: Sendable {
    /// The index of the column among the values of a `LearningBlock`.
    var source: Int
    var parameter: Int
    var mean: Double
    var deviation: Double

    package init(source: Int, parameter: Int, mean: Double, deviation: Double) {
      (self.source, self.parameter) = (source, parameter)
      (self.mean, self.deviation) = (mean, deviation)
    }
  }

  package var categories: [Category]
  /// The index of each category among the codes of a `LearningBlock`.
  var sources: [Int]
  package var dense: [Dense]
  /// The number of parameters; the base is parameter 0.
  package var parameterCount: Int
  var responseMean = 0.0
  var responseDeviation = 1.0

  package init(categories: [Category], sources: [Int], dense: [Dense], parameterCount: Int) {
    (self.categories, self.sources) = (categories, sources)
    (self.dense, self.parameterCount) = (dense, parameterCount)
  }
}

extension CompactLayout {
  /// Creates the layout for rows of `space` under `scales`.
  init(_ scales: ColumnScales, _ space: FeatureSpace) {
    let placeOfColumn = Dictionary(uniqueKeysWithValues: zip(scales.columns, scales.columns.indices))
    (categories, sources, dense) = ([], [], [])
    for (source, feature) in space.categoryFeatures.enumerated() {
      let places = feature.columns.compactMap { placeOfColumn[$0] }
      guard let first = places.first else { continue }
      let width = places.count
      let bins = feature.columns.map { column in
        Int32(placeOfColumn[column].map { $0 - first } ?? width)
      }
      sources.append(source)
      categories.append(
        Category(
          parameters: first + 1..<first + 1 + width,
          high: places.map { (1 - scales.means[$0]) / scales.deviations[$0] },
          low: places.map { -scales.means[$0] / scales.deviations[$0] },
          step: places.map { 1 / scales.deviations[$0] }, binOfCode: bins))
    }
    for (source, column) in space.otherColumns.enumerated() {
      guard let place = placeOfColumn[column] else { continue }
      dense.append(
        Dense(
          source: source, parameter: place + 1, mean: scales.means[place],
          deviation: scales.deviations[place]))
    }
    parameterCount = scales.parameterCount
    responseMean = scales.responseMean
    responseDeviation = scales.responseDeviation
  }
}
