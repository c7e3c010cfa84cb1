/// A cell of the standard geohash grid: 1 to 12 base-32 characters, five bits each, longitude first.
///
/// The module `Geohash` contains geohash cells, great-circle distances and coverings of circles. It does not
/// depend on other modules, so it can be tested and used alone.
///
/// `<` compares geohashes as strings. Within one precision, this is the order of the bits. A cell comes
/// directly before its descendants. A geohash of any precision occupies one 64-bit word.
///
/// Source: G. Niemeyer, geohash.org, 2008; the interleaving comes from G. M. Morton, 1966.
public struct Geohash: Hashable, Comparable, Sendable {
  /// The valid precisions: 1 to 12 characters.
  public static let precisions = 1...12

  /// The number of bits in a code of precision 12.
  public static let codeBits = 60

  // The upper 60 bits are the code, left-aligned; the lower four are the precision. The order of the words is
  // therefore the order of the strings.
  private let word: UInt64

  /// Creates the cell of `precision` that contains `coordinate`, without rounding errors.
  ///
  /// A point on an edge belongs to the northern or eastern cell. Latitude 90 and longitude 180 belong to the
  /// last cell, and longitude -180 belongs to the first cell.
  ///
  /// - Parameters:
  ///   - coordinate: The position.
  ///   - precision: The number of characters, 1 to 12; other values trap (see ``precisions``).
  @inline(__always)
  public init(_ coordinate: Coordinate, precision: Int) {
    Self.check(precision)
    self.init(GridCell(containing: coordinate, depth: 5 * precision))
  }

  /// Creates the cell of `precision` with the code `bits`. Returns `nil` if the precision is not 1 to 12 or
  /// the code has more than five bits per character.
  ///
  /// - Parameters:
  ///   - bits: The code, right-aligned as in ``bits``.
  ///   - precision: The number of characters, 1 to 12.
  public init?(bits: UInt64, precision: Int) {
    guard Self.precisions.contains(precision), bits >> UInt64(5 * precision) == 0 else { return nil }
    self.init(GridCell(bits: bits, depth: 5 * precision))
  }

  /// Creates the geohash of a cell with the depth 5, 10, ... or 60.
  init(_ cell: GridCell) {
    word = cell.bits << UInt64(Self.codeBits - cell.depth + 4) | UInt64(cell.depth / 5)
  }

  /// The number of characters, 1 to 12.
  public var precision: Int { Int(word & 0xF) }

  /// The 5 × `precision` interleaved bits, right-aligned; the first bit of longitude is the most significant.
  public var bits: UInt64 { word >> UInt64(4 + Self.codeBits - 5 * precision) }

  /// This cell as a `GridCell`, which the other types of the module use.
  var cell: GridCell { GridCell(bits: bits, depth: 5 * precision) }

  public static func < (left: Geohash, right: Geohash) -> Bool { left.word < right.word }

  /// Returns the ancestor of this cell at a precision: the first characters of this geohash.
  ///
  /// - Parameter precision: A number from 1 to this geohash's precision; other values trap.
  /// - Returns: The cell of `precision` that contains this cell.
  public func parent(precision: Int) -> Geohash {
    Self.check(precision)
    precondition(
      precision <= self.precision,
      "precision \(precision) is finer than the geohash's precision \(self.precision)")
    return Geohash(GridCell(bits: bits >> UInt64(5 * (self.precision - precision)), depth: 5 * precision))
  }

  /// Returns whether `other` is this cell or lies in it. If so, the string of `other` starts with the string
  /// of this cell.
  public func contains(_ other: Geohash) -> Bool {
    other.precision >= precision && other.parent(precision: precision) == self
  }

  /// Returns the range of the bits of all cells of `precision` in this cell, for a binary search in sorted
  /// codes.
  ///
  /// The upper bound of the last cell is 2^(5 × precision), which fits into 64 bits even for `zzzzzzzzzzzz`.
  ///
  /// - Parameter precision: A number from this geohash's precision to 12; other values trap.
  /// - Returns: A half-open range of ``bits``, never empty.
  public func range(atPrecision precision: Int) -> Range<UInt64> {
    Self.check(precision)
    precondition(
      precision >= self.precision,
      "precision \(precision) is coarser than the geohash's precision \(self.precision)")
    return cell.descendantBits(atDepth: 5 * precision)
  }

  /// The rectangle of this cell; its edges are exact.
  public var boundingBox: BoundingBox { cell.boundingBox }

  /// The exact center of this cell. The geohash of the center at the same precision is this geohash.
  public var center: Coordinate { cell.center }

  /// Returns the exact center of the cell of `precision` that contains `coordinate`.
  ///
  /// The result equals ``center`` of the geohash of `coordinate`, but is computed without the geohash.
  ///
  /// - Parameters:
  ///   - coordinate: The position.
  ///   - precision: The number of characters, 1 to 12; other values trap.
  /// - Returns: The exact center.
  public static func center(around coordinate: Coordinate, precision: Int) -> Coordinate {
    check(precision)
    return GridCell.center(around: coordinate, depth: 5 * precision)
  }

  /// Returns the largest possible distance in kilometers between two points in one cell of a precision.
  ///
  /// The result is the diagonal of a cell at the equator, because cells narrow toward the poles. Examples:
  /// 6 671.7 km at precision 1, 1.37 km at 6, 0.216 km at 7.
  ///
  /// - Parameter precision: The number of characters, 1 to 12; other values trap.
  /// - Returns: Kilometers.
  public static func largestDiagonalInKilometers(atPrecision precision: Int) -> Double {
    check(precision)
    let northOfEquator = GridCell(containing: Coordinate(unchecked: 0, 0), depth: 5 * precision)
    return northOfEquator.boundingBox.diagonalInKilometers
  }

  static func check(_ precision: Int) {
    precondition(precisions.contains(precision), "a geohash has a precision of 1 to 12, not \(precision)")
  }
}
