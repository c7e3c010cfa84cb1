/// A column of categories: one code per row into a vocabulary in byte order.
package struct CategoryColumn: Sendable {
  package let codes: Column<UInt32>
  package let vocabulary: StringColumn

  /// The code of a missing value: the largest, so that every other code is a row of the vocabulary.
  package static let missing = UInt32.max

  package init(_ path: String) throws(FileError) {
    codes = try Column(path + ".codes.npy")
    vocabulary = try StringColumn(path + ".vocabulary")
    for code in codes.elements where code != Self.missing && code >= vocabulary.count {
      throw FileError(.read, path + ".codes.npy", reason: "code \(code) is not in its vocabulary")
    }
  }

  /// Writes one category per row, `nil` where it is missing, as the column `name`.
  package static func write(_ values: [[UInt8]?], to name: String, in directory: inout StageDirectory)
    throws(FileError)
  {
    // Bytes as keys: a String would merge canonically equivalent spellings.
    let vocabulary = Set(values.compactMap { $0 }).sorted { $0.lexicographicallyPrecedes($1) }
    guard vocabulary.count < Int(missing) else {
      throw FileError(.write, name, reason: "it has more than \(missing - 1) different categories")
    }
    let codes = Dictionary(uniqueKeysWithValues: zip(vocabulary, 0..<UInt32(vocabulary.count)))
    let column = values.map { value in value.flatMap { codes[$0] } ?? missing }
    try Column.write(column, to: name + ".codes.npy", in: &directory)
    try StringColumn.write(vocabulary, to: name + ".vocabulary", in: &directory)
  }
}
