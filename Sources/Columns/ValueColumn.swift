package import Files

/// The values of interactions. If all values are integers from -128 to 127, they are stored as bytes.
/// Otherwise, they are stored as doubles. Values from a `map` in the pipeline file are usually such integers.
package struct ValueColumn: Sendable {
  private let file: MappedFile
  /// The byte range of the elements.
  private let range: Range<Int>
  private let isSmall: Bool
  package let count: Int

  /// Maps the column at `path`, whose elements are bytes or doubles.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - expected: The number of values that the column must have; any number if `nil`.
  /// - Throws: `FileError` if the file is missing or damaged, is not a `.npy` file of bytes or doubles, or
  ///   has another number of values.
  package init(_ path: String, count expected: Int? = nil) throws(FileError) {
    let mapped = try MappedFile(checking: path)
    isSmall = try NumPyHeader(parsing: mapped.bytes, path: path).type == Int8.numpyName
    if isSmall {
      let column = try Column<Int8>(mapped, path)
      (file, range, count) = (column.file, column.range, column.count)
    } else {
      let column = try Column<Double>(mapped, path)
      (file, range, count) = (column.file, column.range, column.count)
    }
    guard count == expected ?? count else {
      throw FileError(damaged: path, "its number of values is \(count) instead of \(expected ?? 0)")
    }
  }

  /// Creates a column of `values` in memory.
  package init(inMemory values: [Double]) {
    let column = Column(inMemory: values)
    (file, range, count, isSmall) = (column.file, column.range, column.count, false)
  }

  package subscript(index: Int) -> Double { span[index] }

  /// The values. Obtain the span once before a loop.
  package var span: Values {
    @_lifetime(borrow self)
    get { Values(bytes: file.bytes.extracting(range), isSmall: isSmall) }
  }

  /// A copy of the values in memory.
  package var elements: [Double] {
    let span = span
    return (0..<count).map { span[$0] }
  }

  /// The values of a column, borrowed from it.
  package struct Values: ~Escapable {
    private let bytes: RawSpan
    private let isSmall: Bool

    @_lifetime(copy bytes)
    fileprivate init(bytes: RawSpan, isSmall: Bool) {
      self.bytes = bytes
      self.isSmall = isSmall
    }

    @inline(__always)
    package subscript(index: Int) -> Double {
      // The loads check their bounds. They are marked unsafe because some types must not be loaded
      // from arbitrary bytes.
      isSmall
        ? unsafe Double(bytes.unsafeLoad(fromByteOffset: index, as: Int8.self))
        : unsafe bytes.unsafeLoad(fromByteOffset: index * MemoryLayout<Double>.stride, as: Double.self)
    }
  }
}

extension ValueColumn {
  /// Converts each value to one byte. Returns `nil` unless all values are integers from -128 to 127 and no
  /// value is a negative zero.
  package static func small(_ values: [Double]) -> [Int8]? {
    let small = values.compactMap { Int8(exactly: $0) }
    // An integer cannot represent negative zero.
    return zip(small, values).count { Double($0).bitPattern == $1.bitPattern } == values.count ? small : nil
  }

  /// Writes the elements at `indices` as the column file `name`, with the type of this column.
  package func write(
    _ indices: [UInt32], to name: String, in directory: inout StageDirectory
  ) throws(FileError) {
    let span = span
    if isSmall {
      try Column.write(indices.map { Int8(span[Int($0)]) }, to: name, in: &directory)
    } else {
      try Column.write(indices.map { span[Int($0)] }, to: name, in: &directory)
    }
  }
}
