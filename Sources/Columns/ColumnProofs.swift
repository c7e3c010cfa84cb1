package import Files
internal import Text

/// Checks the content of a column when the column is opened, so that later code can use its elements as
/// indices without a check.
///
/// The checksums of a run find accidental damage. Files of earlier versions and of other programs have no
/// checksums. With these checks, no file content makes a program trap. Each loop over numbers runs to the end
/// without a branch, so that the compiler can vectorize the loop.
extension Column {
  /// Maps the column at `path`, which must have `count` elements. If `count` is `nil`, any number is valid.
  ///
  /// - Throws: `FileError` if the file is missing or damaged, is not a `.npy` file of this element type, or
  ///   has another number of elements.
  package init(_ path: String, count expected: Int?) throws(FileError) {
    try self.init(path)
    guard count == expected ?? count else {
      throw FileError(damaged: path, "its number of elements is \(count) instead of \(expected ?? 0)")
    }
  }
}

extension Column<UInt32> {
  /// Checks that all codes are below `limit`, or equal to `none`.
  ///
  /// - Parameters:
  ///   - limit: The number of rows that codes refer to.
  ///   - none: The code for "no row"; `nil` if every code must refer to a row.
  ///   - path: The path of the column.
  /// - Returns: The column.
  /// - Throws: `FileError` if a code is neither below `limit` nor equal to `none`.
  package func checked(below limit: Int, or none: UInt32? = nil, _ path: String) throws(FileError) -> Self {
    let codes = span
    let limit = UInt32(clamping: limit)
    var outside = 0
    if let none {
      for index in codes.indices { outside += codes[index] >= limit && codes[index] != none ? 1 : 0 }
    } else {
      for index in codes.indices { outside += codes[index] >= limit ? 1 : 0 }
    }
    guard outside == 0 else { throw FileError(damaged: path, "it refers to rows that do not exist") }
    return self
  }
}

extension Column<UInt64> {
  /// Checks that the elements are the offsets of consecutive ranges: they begin with 0, never descend, and
  /// end with `end`.
  ///
  /// - Parameters:
  ///   - end: The number of elements that the ranges divide.
  ///   - rows: The number of ranges; `nil` for any number.
  ///   - path: The path of the column.
  /// - Returns: The column.
  /// - Throws: `FileError` if the elements are not such offsets, or if the number of ranges differs.
  package func checked(dividing end: Int, among rows: Int? = nil, _ path: String) throws(FileError) -> Self {
    guard rows == nil || rows == count - 1 else {
      throw FileError(damaged: path, "its number of offsets is \(count) instead of \((rows ?? 0) + 1)")
    }
    guard Self.divide(span, end) else {
      throw FileError(damaged: path, "its offsets do not ascend from 0 to the number of elements")
    }
    return self
  }

  /// Returns whether `offsets` begin with 0, never descend, and end with `end`.
  static func divide(_ offsets: Span<UInt64>, _ end: Int) -> Bool {
    guard !offsets.isEmpty, offsets[0] == 0, offsets[offsets.count - 1] == UInt64(end) else { return false }
    var descents = 0
    for row in 1..<offsets.count { descents += offsets[row] < offsets[row - 1] ? 1 : 0 }
    return descents == 0
  }
}

extension Column<Int64> {
  /// The largest absolute value of a time, in milliseconds since 1970. With this limit, differences and sums
  /// of two times do not overflow.
  private static var latest: Int64 { 1 << 58 }

  /// Checks that the elements are times, in milliseconds since 1970 UTC, or `Int64.min` for a missing time.
  ///
  /// - Returns: The column.
  /// - Throws: `FileError` if the absolute value of a time is greater than `latest`.
  package func checkedTimes(_ path: String) throws(FileError) -> Self {
    let times = span
    var outside = 0
    for index in times.indices {
      let time = times[index]
      outside += time != .min && (time > Self.latest || time < -Self.latest) ? 1 : 0
    }
    guard outside == 0 else { throw FileError(damaged: path, "it contains numbers that are not times") }
    return self
  }
}

extension Column<Double> {
  /// Checks that the elements are from `-limit` to `limit`, or NaN.
  ///
  /// - Returns: The column.
  /// - Throws: `FileError` if an element is outside these limits.
  package func checked(within limit: Double, _ path: String) throws(FileError) -> Self {
    let numbers = span
    var outside = 0
    for index in numbers.indices { outside += abs(numbers[index]) > limit ? 1 : 0 }
    guard outside == 0 else {
      throw FileError(damaged: path, "it contains numbers outside -\(limit.short) to \(limit.short)")
    }
    return self
  }
}

extension StringColumn {
  /// Checks that the texts are in strictly ascending byte order, as binary searches require.
  ///
  /// - Returns: The column.
  /// - Throws: `FileError` if a text does not follow the previous text in this order.
  package func checkedOrder(_ path: String) throws(FileError) -> Self {
    let (text, ends) = (blob.bytes, offsets.span)
    var start = 0
    for row in 1..<max(1, count) {
      let (middle, end) = (Int(ends[row]), Int(ends[row + 1]))
      guard Self.precedes(start..<middle, middle..<end, in: text) else {
        throw FileError(damaged: path + ".utf8", "its texts are not in ascending order")
      }
      start = middle
    }
    return self
  }

  /// Returns whether the text at `left` precedes the text at `right`. Most ids differ in their first eight
  /// bytes, which are compared at once.
  @inline(__always)
  private static func precedes(_ left: Range<Int>, _ right: Range<Int>, in text: RawSpan) -> Bool {
    if left.count >= 8, right.count >= 8 {
      let (one, other) = unsafe (
        UInt64(bigEndian: text.unsafeLoadUnaligned(fromByteOffset: left.lowerBound, as: UInt64.self)),
        UInt64(bigEndian: text.unsafeLoadUnaligned(fromByteOffset: right.lowerBound, as: UInt64.self))
      )
      if one != other { return one < other }
    }
    return ByteOrder.precedes(Span(_bytes: text.extracting(left)), Span(_bytes: text.extracting(right)))
  }
}
