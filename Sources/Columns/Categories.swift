package import Files

/// A column of categories. Each row has a code, which is an index into a vocabulary in byte order.
package struct CategoryColumn: Sendable {
  package let codes: Column<UInt32>
  package let vocabulary: StringColumn

  /// The code of a missing value. It is the largest `UInt32`, so all smaller codes can be indices into the
  /// vocabulary.
  package static let missing = UInt32.max

  /// Maps the files of the column at `path`, which must have `count` rows. If `count` is `nil`, any number is
  /// valid.
  ///
  /// - Throws: `FileError` if a file is missing or damaged, the number of rows differs, a code is not in the
  ///   vocabulary, or the vocabulary is not in byte order.
  package init(_ path: String, count: Int? = nil) throws(FileError) {
    let words = path + ".vocabulary"
    vocabulary = try StringColumn(words).checkedOrder(words)
    let place = path + ".codes.npy"
    codes = try Column<UInt32>(place, count: count).checked(below: vocabulary.count, or: Self.missing, place)
  }

  /// Writes one category per row, as an index into `vocabulary` or `missing`. The vocabulary may be in any
  /// order and contain unused words.
  package static func write(
    _ codes: [UInt32], in vocabulary: [[UInt8]], to name: String, in directory: inout StageDirectory
  ) throws(FileError) {
    let column = coded(codes, in: vocabulary)
    try Column.write(column.codes, to: name + ".codes.npy", in: &directory)
    try StringColumn.write(column.words, to: name + ".vocabulary", in: &directory)
  }

  /// Creates the column in memory. The arguments are as in `write`.
  package init(inMemory codes: [UInt32], in vocabulary: [[UInt8]]) {
    let column = Self.coded(codes, in: vocabulary)
    self.codes = Column(inMemory: column.codes)
    self.vocabulary = StringColumn(inMemory: column.words)
  }

  /// Returns the used words in byte order, and the rows' indices into these words.
  private static func coded(_ codes: [UInt32], in vocabulary: [[UInt8]]) -> (
    codes: [UInt32], words: [[UInt8]]
  ) {
    let used = UsedWords(codes.lazy.filter { $0 != missing }, of: vocabulary)
    return (codes.map { $0 == missing ? missing : used.codes[Int($0)] }, used.words)
  }
}

/// The used words of a vocabulary, in byte order.
struct UsedWords {
  let words: [[UInt8]]
  /// For each word of the vocabulary, its index in `words`; `UInt32.max` for an unused word.
  let codes: [UInt32]

  init(_ occurring: some Sequence<UInt32>, of vocabulary: [[UInt8]]) {
    var isUsed = [Bool](repeating: false, count: vocabulary.count)
    for code in occurring { isUsed[Int(code)] = true }
    let used = vocabulary.indices.filter { isUsed[$0] }
      .sorted { vocabulary[$0].lexicographicallyPrecedes(vocabulary[$1]) }
    var codes = [UInt32](repeating: .max, count: vocabulary.count)
    for (code, place) in used.enumerated() { codes[place] = UInt32(code) }
    words = used.map { vocabulary[$0] }
    self.codes = codes
  }
}
