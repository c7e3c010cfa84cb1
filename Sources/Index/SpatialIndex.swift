internal import Columns
package import Files
package import Geohash

/// The entities of one kind in cell order, for radius queries.
///
/// ```
/// index/manifest.json
/// index/<entity>/geohash            the cell of each row, as text; empty without a position
/// index/<entity>/rows.npy           positioned rows, in ascending order of codes, then of rows
/// index/<entity>/codes.npy          their geohashes of precision 12, as numbers of 60 bits
/// index/<entity>/buckets.csv        cell, entities, and the number of entities per category
/// ```
package struct SpatialIndex: Sendable {
  package let rows: [UInt32]
  private let codes: [UInt64]

  package init(_ directory: String, entity: String) throws(FileError) {
    rows = try Column<UInt32>(directory + "/" + entity + "/rows.npy").elements
    codes = try Column<UInt64>(directory + "/" + entity + "/codes.npy").elements
    guard rows.count == codes.count else {
      throw FileError(
        .read, directory + "/" + entity, reason: "it has \(rows.count) rows and \(codes.count) codes")
    }
  }

  /// - Parameters:
  ///   - rows: Positioned rows, in ascending order of codes.
  ///   - codes: Their geohashes of precision 12, as numbers of 60 bits.
  package init(rows: [UInt32], codes: [UInt64]) {
    self.rows = rows
    self.codes = codes
  }

  /// Ranges of `rows` that contain every entity within `radius` kilometers of `center`, and some that are farther away.
  ///
  /// - Complexity: O(log n) per range; there are at most 16.
  package func candidateRanges(around center: Coordinate, radiusInKilometers radius: Double) -> [Range<Int>] {
    let ranges: [Range<UInt64>]
    do {
      // More ranges would cost more to find than they save in candidates.
      ranges = try Geohash.coveringRanges(center: center, radiusInKilometers: radius, maximumRanges: 16)
    } catch {
      preconditionFailure("a checked radius was refused: \(error)")
    }
    return ranges.map { lowerBound(of: $0.lowerBound)..<lowerBound(of: $0.upperBound) }.filter { !$0.isEmpty }
  }

  /// The first index whose code is at least `code`.
  private func lowerBound(of code: UInt64) -> Int {
    (0..<codes.count).partitioningIndex { codes[$0] >= code }
  }
}
