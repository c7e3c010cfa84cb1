package import Files

/// A column of tags: a set of texts per row, stored as codes. A code is an index into a vocabulary in byte
/// order. A missing value is an empty set.
///
/// ```
/// <name>.offsets.npy        UInt64: the codes of row r are codes[offsets[r]..<offsets[r + 1]]
/// <name>.codes.npy          UInt32: ascending within a row
/// <name>.vocabulary.*       the texts
/// ```
package struct TagColumn: Sendable {
  package let offsets: Column<UInt64>
  package let codes: Column<UInt32>
  package let vocabulary: StringColumn

  /// Maps the files of the column at `path`.
  ///
  /// - Parameters:
  ///   - path: The column.
  ///   - count: The number of rows that the column must have; any number if `nil`.
  /// - Throws: `FileError` if a file is missing or damaged, the number of rows differs, the vocabulary is not
  ///   in byte order, a code is not in the vocabulary, or the offsets do not divide the codes into ascending
  ///   sets.
  package init(_ path: String, count: Int? = nil) throws(FileError) {
    let (words, sets, starts) = (path + ".vocabulary", path + ".codes.npy", path + ".offsets.npy")
    vocabulary = try StringColumn(words).checkedOrder(words)
    codes = try Column<UInt32>(sets).checked(below: vocabulary.count, sets)
    offsets = try Column<UInt64>(starts).checked(dividing: codes.count, among: count, starts)
    guard Self.ascend(codes.span, in: offsets.span) else {
      throw FileError(damaged: sets, "the tags of a row are not in ascending order")
    }
  }

  private static func ascend(_ codes: Span<UInt32>, in offsets: Span<UInt64>) -> Bool {
    for row in 0..<offsets.count - 1 {
      for index in (Int(offsets[row])..<Int(offsets[row + 1])).dropFirst()
      where codes[index] <= codes[index - 1] {
        return false
      }
    }
    return true
  }

  package var count: Int { offsets.count - 1 }

  /// Returns the index range of the codes of `row`.
  package func range(_ row: Int) -> Range<Int> {
    offsets.range(of: row)
  }

  /// Returns the texts of `row`, in byte order.
  package func strings(_ row: Int) -> [String] {
    range(row).map { vocabulary.string(Int(codes[$0])) }
  }

  /// Writes one set per row, as distinct indices into `vocabulary`. The vocabulary may be in any order and
  /// contain unused words.
  package static func write(
    _ sets: [[UInt32]], in vocabulary: [[UInt8]], to name: String, in directory: inout StageDirectory
  ) throws(FileError) {
    let column = laidOut(sets, in: vocabulary)
    try Column.write(column.offsets, to: name + ".offsets.npy", in: &directory)
    try Column.write(column.codes, to: name + ".codes.npy", in: &directory)
    try StringColumn.write(column.words, to: name + ".vocabulary", in: &directory)
  }

  /// Creates the column in memory. The arguments are as in `write`.
  package init(inMemory sets: [[UInt32]], in vocabulary: [[UInt8]]) {
    let column = Self.laidOut(sets, in: vocabulary)
    offsets = Column(inMemory: column.offsets)
    codes = Column(inMemory: column.codes)
    self.vocabulary = StringColumn(inMemory: column.words)
  }

  /// Returns the offset of each set in the concatenated sets, the sets as indices into the used words, and
  /// the used words in byte order.
  private static func laidOut(_ sets: [[UInt32]], in vocabulary: [[UInt8]]) -> (
    offsets: [UInt64], codes: [UInt32], words: [[UInt8]]
  ) {
    let used = UsedWords(sets.lazy.joined(), of: vocabulary)
    var offsets: [UInt64] = [0]
    offsets.reserveCapacity(sets.count + 1)
    var codes: [UInt32] = []
    for set in sets {
      codes += set.map { used.codes[Int($0)] }.sorted()
      offsets.append(UInt64(codes.count))
    }
    return (offsets, codes, used.words)
  }
}
