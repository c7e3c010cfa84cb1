package import Files
internal import Text

/// A column of texts: a blob of UTF-8, and the offset of each text in the blob.
///
/// Texts are bytes. They are never trimmed, normalized or compared as `String`, whose `==` treats some
/// different ids as equal.
package struct StringColumn: Sendable {
  let blob: MappedFile
  let offsets: Column<UInt64>

  /// Maps `<path>.utf8` and `<path>.offsets.npy`.
  ///
  /// - Throws: `FileError` if a file is missing or damaged, or the offsets do not divide the blob into texts.
  package init(_ path: String) throws(FileError) {
    blob = try MappedFile(checking: path + ".utf8")
    let place = path + ".offsets.npy"
    offsets = try Column<UInt64>(place).checked(dividing: blob.count, place)
  }

  /// Maps the column at `path`, which must have `count` texts.
  ///
  /// - Throws: The errors of `init(_:)`; `FileError` if the number of texts differs.
  package init(_ path: String, count: Int) throws(FileError) {
    self = try StringColumn(path)
    guard self.count == count else {
      throw FileError(
        damaged: path + ".offsets.npy", "its number of texts is \(self.count) instead of \(count)")
    }
  }

  package var count: Int { offsets.count - 1 }

  /// Returns the bytes of the text of `row`.
  @_lifetime(borrow self)
  package func bytes(_ row: Int) -> Span<UInt8> {
    let start = Int(offsets[row])
    let end = Int(offsets[row + 1])
    let bytes = blob.bytes.extracting(start..<end)
    return unsafe _overrideLifetime(Span(_bytes: bytes), borrowing: self)
  }

  package func string(_ row: Int) -> String {
    String(decoding: Array(copying: bytes(row)), as: UTF8.self)
  }

  /// All texts, in row order.
  package var strings: [String] {
    (0..<count).map(string)
  }

  /// Returns the row of `text`; `nil` if no row has this text. The texts must be in ascending byte order.
  ///
  /// - Complexity: O(log n).
  package func row(of text: [UInt8]) -> Int? {
    let row = (0..<count).partitioningIndex { !ByteOrder.precedes(bytes($0), text.span) }
    return row < count && ByteOrder.equal(bytes(row), text.span) ? row : nil
  }
}

extension StringColumn {
  /// Creates a column of `texts` in memory.
  package init(inMemory texts: [[UInt8]]) {
    var bytes: [UInt8] = []
    var offsets: [UInt64] = [0]
    offsets.reserveCapacity(texts.count + 1)
    for text in texts {
      bytes += text
      offsets.append(UInt64(bytes.count))
    }
    blob = unsafe MappedFile(copying: bytes.span.bytes)
    self.offsets = Column(inMemory: offsets)
  }
}

extension StringColumn {
  /// Writes `texts` as the column `name` of a stage's directory.
  package static func write(_ texts: [[UInt8]], to name: String, in directory: inout StageDirectory)
    throws(FileError)
  {
    var offsets: [UInt64] = [0]
    offsets.reserveCapacity(texts.count + 1)
    try directory.write(name + ".utf8", rows: texts.count) { (writer) throws(FileError) in
      for text in texts {
        try writer.append(text)
        offsets.append((offsets.last ?? 0) + UInt64(text.count))
      }
    }
    try Column.write(offsets, to: name + ".offsets.npy", in: &directory)
  }
}

extension StringColumn {
  /// Writes `blob` as the column `name` of a stage's directory. `offsets` contains the start of each text in
  /// `blob`, and the end of the last text.
  package static func write(
    _ blob: [UInt8], offsets: Span<UInt64>, to name: String, in directory: inout StageDirectory
  ) throws(FileError) {
    precondition(Column.divide(offsets, blob.count), "offsets do not fit \(blob.count) bytes")
    try directory.write(name + ".utf8", rows: offsets.count - 1) { (writer) throws(FileError) in
      try writer.append(blob)
    }
    try Column.write(offsets, to: name + ".offsets.npy", in: &directory)
  }
}

extension StringColumn {
  /// Writes the texts at `ranges` of `blob` as the column `name` of a stage's directory.
  package static func write(
    _ ranges: [Range<Int>], of blob: Span<UInt8>, to name: String, in directory: inout StageDirectory
  ) throws(FileError) {
    var offsets: [UInt64] = [0]
    offsets.reserveCapacity(ranges.count + 1)
    try directory.write(name + ".utf8", rows: ranges.count) { (writer) throws(FileError) in
      // Texts that are adjacent in the blob, such as ids in order, are written together.
      var run = 0..<0
      var end: UInt64 = 0
      for range in ranges {
        if range.lowerBound != run.upperBound {
          unsafe try writer.append(blob.extracting(run).bytes)
          run = range.lowerBound..<range.lowerBound
        }
        run = run.lowerBound..<range.upperBound
        end += UInt64(range.count)
        offsets.append(end)
      }
      unsafe try writer.append(blob.extracting(run).bytes)
    }
    try Column.write(offsets, to: name + ".offsets.npy", in: &directory)
  }
}

extension StringColumn {
  /// Writes texts of `columns` as the column `name` of a stage's directory.
  ///
  /// Each element of `texts` is the index of a column in `columns`, and a row in that column. `nil` gives an
  /// empty text.
  package static func write(
    _ texts: [(column: Int, row: Int)?], of columns: [StringColumn], to name: String,
    in directory: inout StageDirectory
  ) throws(FileError) {
    var offsets: [UInt64] = [0]
    offsets.reserveCapacity(texts.count + 1)
    var end: UInt64 = 0
    try directory.write(name + ".utf8", rows: texts.count) { (writer) throws(FileError) in
      for text in texts {
        if let text {
          let column = columns[text.column]
          let bytes = column.bytes(text.row)
          unsafe try writer.append(bytes.bytes)
          end += UInt64(bytes.count)
        }
        offsets.append(end)
      }
    }
    try Column.write(offsets, to: name + ".offsets.npy", in: &directory)
  }
}
