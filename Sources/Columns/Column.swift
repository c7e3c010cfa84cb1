package import Files

/// The element type of a column file.
package protocol ColumnElement: BitwiseCopyable, Sendable {
  /// NumPy's name of the type in a `.npy` header: byte order, kind, size.
  static var numpyName: String { get }
}

extension Double: ColumnElement { package static var numpyName: String { "<f8" } }
extension Int64: ColumnElement { package static var numpyName: String { "<i8" } }
extension UInt64: ColumnElement { package static var numpyName: String { "<u8" } }
extension UInt32: ColumnElement { package static var numpyName: String { "<u4" } }
extension UInt8: ColumnElement { package static var numpyName: String { "|u1" } }
extension Int8: ColumnElement { package static var numpyName: String { "|i1" } }

/// One column of a table: a memory-mapped, one-dimensional `.npy` file, or values in memory.
///
/// The module `Columns` stores columns of numbers, texts, categories, tags and intervals. It handles only
/// files and bytes, so it must not depend on `RunSchemas`, which defines tables of columns.
package struct Column<Element: ColumnElement>: Sendable {
  let file: MappedFile
  private let start: Int
  package let count: Int

  /// Maps the column at `path`.
  ///
  /// - Throws: `FileError` if the file is missing or damaged, or is not a `.npy` file of this element type.
  package init(_ path: String) throws(FileError) {
    try self.init(MappedFile(checking: path), path)
  }

  /// Uses the mapped file at `path` as a column.
  init(_ file: MappedFile, _ path: String) throws(FileError) {
    let header = try NumPyHeader(parsing: file.bytes, path: path)
    guard header.type == Element.numpyName else {
      throw FileError(
        damaged: path, "its element type is '\(header.type)' instead of '\(Element.numpyName)'")
    }
    let size = MemoryLayout<Element>.stride
    let (bytes, overflow) = header.count.multipliedReportingOverflow(by: size)
    guard !overflow, file.count - header.length == bytes else {
      throw FileError(
        damaged: path,
        "its header states \(header.count) elements, which does not match its size of \(file.count) bytes")
    }
    // Headers of Nightjar and NumPy end at a multiple of 64 bytes, and headers of older NumPy versions at a
    // multiple of 16. Elements after these headers are aligned. The header of another program may end at any
    // byte.
    guard header.length % MemoryLayout<Element>.alignment == 0 else {
      throw FileError(damaged: path, "its elements are misaligned")
    }
    self.file = file
    start = header.length
    count = header.count
  }

  /// The byte range of the elements in `file`.
  var range: Range<Int> { start..<start + count * MemoryLayout<Element>.stride }

  /// The elements. Obtain the span once before a loop.
  package var span: Span<Element> {
    @_lifetime(borrow self)
    get {
      // A mapping starts on a page boundary and `init` has checked the header's length, so elements are
      // aligned.
      let bytes = file.bytes.extracting(range)
      return unsafe _overrideLifetime(Span(_bytes: bytes), borrowing: self)
    }
  }

  /// A copy of the elements in memory, for columns with many random reads.
  package var elements: [Element] {
    let span = span
    return Array(capacity: count) { output in
      for index in span.indices { output.append(span[index]) }
    }
  }

  package subscript(row: Int) -> Element {
    span[row]
  }

  package subscript(row: UInt32) -> Element {
    span[Int(row)]
  }
}

extension Column<UInt64> {
  /// Returns the range of `row` in a column of offsets: `self[row]..<self[row + 1]`.
  ///
  /// The method is not generic, so that callers in other modules make one call instead of two unspecialized
  /// calls.
  package func range(of row: Int) -> Range<Int> {
    let offsets = span
    return Int(offsets[row])..<Int(offsets[row + 1])
  }
}

extension Column {
  /// Creates a column of `values` in memory.
  package init(inMemory values: [Element]) {
    file = unsafe MappedFile(copying: values.span.bytes)
    start = 0
    count = values.count
  }
}

extension Column {
  /// Writes `values` as the column file `name` of a stage's directory.
  package static func write(_ values: [Element], to name: String, in directory: inout StageDirectory)
    throws(FileError)
  {
    try write(values.span, to: name, in: &directory)
  }

  /// Writes borrowed elements as the column file `name`.
  package static func write(_ values: Span<Element>, to name: String, in directory: inout StageDirectory)
    throws(FileError)
  {
    try directory.write(name, rows: values.count) { (writer) throws(FileError) in
      try writer.append(NumPyHeader(type: Element.numpyName, count: values.count).bytes)
      unsafe try writer.append(values.bytes)
    }
  }
}

extension Column {
  /// Returns a task for `StageDirectory.writeTogether`. The task writes the concatenation of `parts` as one
  /// column file.
  package static func writing(
    _ parts: [[Element]], to name: String
  ) -> StageDirectory.Body {
    { (directory) throws(FileError) in
      let count = parts.reduce(0) { $0 + $1.count }
      try directory.write(name, rows: count) { (writer) throws(FileError) in
        try writer.append(NumPyHeader(type: Element.numpyName, count: count).bytes)
        for part in parts { unsafe try writer.append(part.span.bytes) }
      }
    }
  }
}
