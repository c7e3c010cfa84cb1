internal import Columns
package import Files
package import Geohash

/// The rows of one entity in cell order, for radius queries.
///
/// ```
/// index/manifest.json
/// index/<entity>/geohash            the cell of each row, as text; empty without a position
/// index/<entity>/rows.npy           the rows with a position, in ascending order of codes, then of rows
/// index/<entity>/codes.npy          their geohashes of precision 12, as numbers of 60 bits
/// index/<entity>/buckets.csv        cell, entities, and the number of entities per category
/// ```
package struct SpatialIndex: Sendable {
  package let rows: [UInt32]
  private let codes: [UInt64]

  /// Reads the index of `entity`, which has `count` rows.
  ///
  /// - Throws: `FileError` if a file is missing or damaged, a row does not exist or occurs twice, or the
  ///   codes are not geohashes in ascending order.
  package init(_ directory: String, entity: String, count: Int) throws(FileError) {
    let (places, cells) = ("\(directory)/\(entity)/rows.npy", "\(directory)/\(entity)/codes.npy")
    rows = try Column<UInt32>(places).checked(below: count, places).elements
    codes = try Column<UInt64>(cells, count: rows.count).elements
    var isIndexed = [Bool](repeating: false, count: count)
    for row in rows {
      guard !isIndexed[Int(row)] else { throw FileError(damaged: places, "a row occurs twice") }
      isIndexed[Int(row)] = true
    }
    var descents = 0
    for index in codes.indices.dropFirst() { descents += codes[index] < codes[index - 1] ? 1 : 0 }
    guard descents == 0, codes.last ?? 0 < 1 << 60 else {
      throw FileError(damaged: cells, "its codes are not geohashes in ascending order")
    }
  }

  /// Creates an index from its two columns.
  ///
  /// - Parameters:
  ///   - rows: The rows with a position, in ascending order of codes.
  ///   - codes: Their geohashes of precision 12, as numbers of 60 bits.
  package init(rows: [UInt32], codes: [UInt64]) {
    self.rows = rows
    self.codes = codes
  }

  /// Returns ranges of `rows` that contain every row within `radius` kilometers of `center`, and usually some
  /// rows that are farther away.
  ///
  /// - Complexity: O(log n) per range; there are at most 16.
  package func candidateRanges(around center: Coordinate, radiusInKilometers radius: Double) -> [Range<Int>] {
    let ranges: [Range<UInt64>]
    do {
      // Finding more ranges would take longer than checking the additional candidates of fewer ranges.
      ranges = try Geohash.coveringRanges(center: center, radiusInKilometers: radius, maximumRanges: 16)
    } catch {
      preconditionFailure("the radius must be valid, because it was checked before: \(error)")
    }
    return ranges.map { lowerBound(of: $0.lowerBound)..<lowerBound(of: $0.upperBound) }.filter { !$0.isEmpty }
  }

  /// Returns the first index whose code is at least `code`.
  private func lowerBound(of code: UInt64) -> Int {
    (0..<codes.count).partitioningIndex { codes[$0] >= code }
  }
}
