/// A cell of the geohash grid at any depth: 0 to 64 interleaved bits, longitude first.
///
/// Geohashes have depths that are multiples of five, up to 60. Coverings split cells bit by bit, which prunes
/// better than splitting a cell into 32 children at once. Depths up to 64 also represent the integer
/// geohashes of other libraries, which have 52 or 64 bits.
///
/// Each bit halves a side, so every edge is a multiple of 45° divided by a power of two. With at most 32 bits
/// per axis, an edge or a center needs 6 + 33 bits, so a `Double` represents it exactly.
struct GridCell: Hashable, Sendable {
  /// The interleaved bits, right-aligned: the first bit of longitude is the most significant of `depth` bits.
  var bits: UInt64
  /// The number of bits, from 0 (the whole globe) to 64.
  var depth: Int

  init(bits: UInt64, depth: Int) {
    self.bits = bits
    self.depth = depth
  }

  @inline(__always)
  init(latitudeIndex: UInt32, longitudeIndex: UInt32, depth: Int) {
    let latitude = Self.spread(latitudeIndex)
    let longitude = Self.spread(longitudeIndex)
    // The last bit belongs to longitude at odd depths.
    bits = depth & 1 == 0 ? longitude &<< 1 | latitude : latitude &<< 1 | longitude
    self.depth = depth
  }

  /// Creates the cell that contains `coordinate`, without rounding errors.
  ///
  /// Southern and western edges belong to a cell; latitude 90 and longitude 180 belong to the last cell.
  @inline(__always)
  init(containing coordinate: Coordinate, depth: Int) {
    self.init(
      latitudeIndex: Axis.latitude.index(of: coordinate.latitude, bits: depth / 2),
      longitudeIndex: Axis.longitude.index(of: coordinate.longitude, bits: (depth + 1) / 2),
      depth: depth)
  }

  var latitudeBits: Int { depth / 2 }
  var longitudeBits: Int { (depth + 1) / 2 }

  /// The row, counted from the south.
  var latitudeIndex: UInt32 { Self.gathered(depth & 1 == 0 ? bits : bits >> 1) }
  /// The column, counted eastward from the antimeridian.
  var longitudeIndex: UInt32 { Self.gathered(depth & 1 == 0 ? bits >> 1 : bits) }

  var boundingBox: BoundingBox {
    let row = UInt64(latitudeIndex)
    let column = UInt64(longitudeIndex)
    return BoundingBox(
      uncheckedSouth: Axis.latitude.edge(halfCells: 2 * row, bits: latitudeBits),
      west: Axis.longitude.edge(halfCells: 2 * column, bits: longitudeBits),
      north: Axis.latitude.edge(halfCells: 2 * row + 2, bits: latitudeBits),
      east: Axis.longitude.edge(halfCells: 2 * column + 2, bits: longitudeBits))
  }

  var center: Coordinate {
    Coordinate(
      unchecked: Axis.latitude.edge(halfCells: 2 * UInt64(latitudeIndex) + 1, bits: latitudeBits),
      Axis.longitude.edge(halfCells: 2 * UInt64(longitudeIndex) + 1, bits: longitudeBits))
  }

  /// Returns the center of the cell of `depth` that contains `coordinate`, computed for each axis separately.
  @inline(__always)
  static func center(around coordinate: Coordinate, depth: Int) -> Coordinate {
    let (north, east) = (depth / 2, (depth + 1) / 2)
    let row = Axis.latitude.index(of: coordinate.latitude, bits: north)
    let column = Axis.longitude.index(of: coordinate.longitude, bits: east)
    return Coordinate(
      unchecked: Axis.latitude.edge(halfCells: 2 * UInt64(row) + 1, bits: north),
      Axis.longitude.edge(halfCells: 2 * UInt64(column) + 1, bits: east))
  }

  /// Returns the cell `north` rows to the north and `east` columns to the east. Columns wrap around the
  /// antimeridian; the result is `nil` beyond a pole.
  func neighbor(north: Int, east: Int) -> GridCell? {
    let row = Int(latitudeIndex) + north
    guard 0 <= row, row < 1 << latitudeBits else { return nil }
    let column = (Int(longitudeIndex) + east) & (1 << longitudeBits - 1)
    return GridCell(latitudeIndex: UInt32(row), longitudeIndex: UInt32(column), depth: depth)
  }

  /// Returns the southern or western half of this cell (`half` 0), or its northern or eastern half (1).
  func child(_ half: UInt64) -> GridCell {
    GridCell(bits: bits << 1 | half, depth: depth + 1)
  }

  /// Returns the range of the bits of all descendants at `descendantDepth`, which is at least `depth` and at
  /// most 63.
  func descendantBits(atDepth descendantDepth: Int) -> Range<UInt64> {
    let shift = UInt64(descendantDepth - depth)
    return bits << shift..<(bits + 1) << shift
  }

  /// Moves bit i to bit 2i.
  @inline(__always)
  private static func spread(_ index: UInt32) -> UInt64 {
    var x = UInt64(index)
    x = (x | x &<< 16) & 0x0000_FFFF_0000_FFFF
    x = (x | x &<< 8) & 0x00FF_00FF_00FF_00FF
    x = (x | x &<< 4) & 0x0F0F_0F0F_0F0F_0F0F
    x = (x | x &<< 2) & 0x3333_3333_3333_3333
    return (x | x &<< 1) & 0x5555_5555_5555_5555
  }

  /// Moves bit 2i to bit i and drops the odd bits: the inverse of `spread`.
  @inline(__always)
  private static func gathered(_ bits: UInt64) -> UInt32 {
    var x = bits & 0x5555_5555_5555_5555
    x = (x | x &>> 1) & 0x3333_3333_3333_3333
    x = (x | x &>> 2) & 0x0F0F_0F0F_0F0F_0F0F
    x = (x | x &>> 4) & 0x00FF_00FF_00FF_00FF
    x = (x | x &>> 8) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: x | x &>> 16)
  }
}
