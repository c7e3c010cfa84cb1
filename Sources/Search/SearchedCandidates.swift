internal import Columns
package import Features
package import Geohash
internal import RunSchemas

/// Candidates in blocks, in search order, with the data for bounds and scores.
///
/// Positions and numbers are stored twice. The single-precision copy, by block and column, serves bounds for
/// a whole block at once, eight lanes at a time. The exact copy, by candidate, serves scores: a score costs
/// one or two cache lines in total instead of one per feature.
///
/// The type is not copyable, because a copy on the way to a hot loop would update reference counts that all
/// threads share.
package struct SearchedCandidates: ~Copyable, Sendable {
  /// The number of candidates per block. An incomplete block has its empty places at the end.
  package static let blockSize = 32
  /// The number of `Lanes` per column of a block.
  static let quarters = blockSize / Lanes.scalarCount
  /// The value in `rows` for a place without a candidate.
  package static let noRow = UInt32.max

  /// The row of the candidate at each place.
  package let rows: [UInt32]
  /// The number of occupied places in each block.
  let counts: [UInt8]
  package let space: FeatureSpace
  package let layout: SearchLayout

  /// For each place: latitude, longitude, cosine of the latitude, then the numbers of the layout.
  let exact: [Double]
  let exactWidth: Int
  /// For each block and column, `quarters` vectors. The columns are x, y, z, then the numbers of the layout.
  /// An unknown or missing value is NaN.
  let rounded: [Lanes]
  let roundedWidth: Int
  /// The codes, ordered by block, then by code column of the layout, then by lane.
  let codes: [UInt32]
  /// The code that all candidates of a block share, ordered by block, then by code column of the layout;
  /// `mixed` if the codes differ.
  let blockCodes: [UInt32]

  @inline(__always)
  static var mixed: UInt32 { CategoryColumn.missing - 1 }

  /// Stores the positions and feature values of the candidates in `rows`.
  ///
  /// - Parameters:
  ///   - rows: The row at each place. The count is a multiple of the block size, with `noRow` as padding at
  ///     the ends of blocks.
  ///   - space: The features.
  ///   - positions: The candidates' positions, by row.
  ///   - vectors: The same positions as points on the unit sphere.
  package init(rows: [UInt32], space: FeatureSpace, positions: Positions, vectors: [UnitVector?]) {
    precondition(
      rows.count.isMultiple(of: Self.blockSize),
      "the number of places must be a multiple of the block size, but it is \(rows.count)")
    let layout = SearchLayout(space)
    let blocks = rows.count / Self.blockSize
    var counts = [UInt8](repeating: 0, count: blocks)
    let exactWidth = 3 + layout.numberCount
    let roundedWidth = 3 + layout.numberCount
    var exact = [Double](repeating: .nan, count: rows.count * exactWidth)
    var rounded = [Lanes](
      repeating: Lanes(repeating: .nan), count: blocks * roundedWidth * Self.quarters)
    var codes = [UInt32](repeating: CategoryColumn.missing, count: rows.count * layout.codeCount)
    for (place, row) in rows.enumerated() where row != Self.noRow {
      counts[place / Self.blockSize] += 1
      positions.write(Int(row), to: &exact, at: place * exactWidth)
      guard let vector = vectors[Int(row)].map(FloatVector.init) else { continue }
      let (first, lane) = Self.start(of: place, width: roundedWidth)
      rounded[first][lane] = vector.x
      rounded[first + Self.quarters][lane] = vector.y
      rounded[first + 2 * Self.quarters][lane] = vector.z
    }
    for (feature, slot) in zip(space.features, layout.slots) {
      if let numbers = feature.shape.searchedNumbers {
        for (place, row) in rows.enumerated() where row != Self.noRow {
          let number = numbers[Int(row)]
          exact[place * exactWidth + 3 + slot.index] = number
          let (first, lane) = Self.start(of: place, width: roundedWidth)
          rounded[first + (3 + slot.index) * Self.quarters][lane] = Float(number - slot.center)
        }
      } else if let column = feature.shape.searchedCodes {
        for (place, row) in rows.enumerated() where row != Self.noRow {
          let (block, lane) = (place / Self.blockSize, place % Self.blockSize)
          codes[(block * layout.codeCount + slot.index) * Self.blockSize + lane] = column[Int(row)]
        }
      }
    }
    self.rows = rows
    self.counts = counts
    self.space = space
    self.layout = layout
    self.exactWidth = exactWidth
    self.roundedWidth = roundedWidth
    self.exact = exact
    self.rounded = rounded
    self.codes = codes
    blockCodes = Self.blockCodes(codes, counts, width: layout.codeCount)
  }

  /// Stores all candidates of a space, each at the place that equals its row.
  package init(everybodyIn space: FeatureSpace, positions: Positions) {
    let blocks = (positions.count + Self.blockSize - 1) / Self.blockSize
    let rows = (0..<blocks * Self.blockSize).map { $0 < positions.count ? UInt32($0) : Self.noRow }
    self.init(rows: rows, space: space, positions: positions, vectors: positions.vectors(threads: 1))
  }

  package var blockCount: Int { counts.count }
  package var featureCount: Int { space.features.count }

  /// Returns the occupied places of the block `block`.
  package func places(of block: Int) -> Range<Int> {
    block * Self.blockSize..<block * Self.blockSize + Int(counts[block])
  }

  /// Returns the distance in kilometers from `origin` to the candidate at `place`; NaN if either position is
  /// unknown.
  package func distanceInKilometers(from origin: DistanceOrigin?, to place: Int) -> Double {
    guard let origin else { return .nan }
    let first = place * exactWidth
    return origin.distanceInKilometers(
      toLatitude: exact[first], longitude: exact[first + 1], cosineOfLatitude: exact[first + 2])
  }

  /// Returns the index in `codes` of the first code of the candidate at `place`. The candidate's other codes
  /// follow at intervals of `blockSize`.
  func firstCode(of place: Int) -> Int {
    let (block, lane) = (place / Self.blockSize, place % Self.blockSize)
    return block * layout.codeCount * Self.blockSize + lane
  }

  /// Returns the position of a candidate's first column in `rounded`: the index of the vector, and the lane
  /// in it.
  private static func start(of place: Int, width: Int) -> (first: Int, lane: Int) {
    let (block, inBlock) = (place / blockSize, place % blockSize)
    return (block * quarters * width + inBlock / Lanes.scalarCount, inBlock % Lanes.scalarCount)
  }

  private static func blockCodes(_ codes: [UInt32], _ counts: [UInt8], width: Int) -> [UInt32] {
    var found: [UInt32] = []
    found.reserveCapacity(counts.count * width)
    for (block, count) in counts.enumerated() {
      for column in 0..<width {
        let first = (block * width + column) * blockSize
        let isOne = codes[first..<first + Int(count)].allSatisfy { $0 == codes[first] }
        found.append(isOne ? codes[first] : mixed)
      }
    }
    return found
  }
}

/// A cache of the last distance computed from one origin. People are snapped to cells, and neighbors in a
/// block often share a cell.
package struct LastDistance: Sendable {
  private var latitude = Double.nan
  private var longitude = Double.nan
  private var kilometers = Double.nan

  package init() {}

  /// Returns the distance in kilometers from `origin` to the candidate at `place`; NaN if either position is
  /// unknown. All calls must pass the same `origin`.
  package mutating func distanceInKilometers(
    to place: Int, of candidates: borrowing SearchedCandidates, from origin: DistanceOrigin?
  ) -> Double {
    let first = place * candidates.exactWidth
    let (latitude, longitude) = (candidates.exact[first], candidates.exact[first + 1])
    if latitude == self.latitude, longitude == self.longitude { return kilometers }
    (self.latitude, self.longitude) = (latitude, longitude)
    kilometers = candidates.distanceInKilometers(from: origin, to: place)
    return kilometers
  }
}
