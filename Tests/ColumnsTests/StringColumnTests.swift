import Concurrency
import Testing
import TestSupport

@testable import Columns
@testable import Files
@testable import RunSchemas
@testable import Text

private let oddTexts = [
  "", "a", "\0", "a\0b", "é", "e\u{301}", "👩‍👩‍👧‍👦", "\n", "\"", "ﬀ", "\u{FEFF}", " ",
].map { Array($0.utf8) }

@Suite struct StringColumnTests {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func column(_ texts: [[UInt8]]) throws -> StringColumn {
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try StringColumn.write(texts, to: "x", in: &directory)
    }
    return try StringColumn(path + "/x")
  }

  @Test func `odd texts round-trip byte by byte`() throws {
    let texts = oddTexts + [[0xFF, 0xFE], [0xC3]]
    let column = try column(texts)
    #expect(column.count == texts.count)
    for (row, text) in texts.enumerated() { #expect(Array(copying: column.bytes(row)) == text) }
    #expect(column.string(6) == "👩‍👩‍👧‍👦")
    #expect(column.strings.count == texts.count)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `a column accepts only texts in strictly ascending byte order`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    // Many texts share a prefix, because the search compares the first eight bytes at once.
    func text() -> [UInt8] {
      Array("aaaaaaa".utf8.prefix(Int.random(in: 0...7, using: &random)))
        + (0..<Int.random(in: 0...10, using: &random)).map { _ in
          [0, 0x61, 0x7F, 0x80, 0xFF].randomElement(using: &random)!
        }
    }
    let texts = Set((0..<200).map { _ in text() }).sorted { $0.lexicographicallyPrecedes($1) }
    _ = try column(texts).checkedOrder("x")
    for row in texts.indices.dropLast() {
      var (swapped, doubled) = (texts, texts)
      swapped.swapAt(row, row + 1)
      doubled[row] = doubled[row + 1]
      for wrong in [swapped, doubled] {
        #expect(throws: FileError.self) { try StringColumn(inMemory: wrong).checkedOrder("x") }
      }
    }
  }

  @Test func `a blob and its offsets form a column`() throws {
    var directory = try StageDirectory("blob", in: scratch.path)
    let offsets: [UInt64] = [0, 1, 1, 4]
    try StringColumn.write(Array("abcd".utf8), offsets: offsets.span, to: "x", in: &directory)
    _ = try directory.complete(.plain)
    #expect(try StringColumn(scratch("blob/x")).strings == ["a", "", "bcd"])
  }

  @Test func `a column may have no texts`() throws {
    let column = try column([])
    #expect(column.count == 0)
    #expect(column.strings.isEmpty)
    #expect(column.row(of: []) == nil)
    #expect(column.row(of: [1]) == nil)
  }

  @Test(arguments: 0..<12 as Range<UInt64>)
  func `a text is found where a linear search finds it`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func text() -> [UInt8] {
      // Short texts of few letters often repeat, and one is often a prefix of another.
      (0..<Int.random(in: 0...4, using: &random)).map { _ in
        [0, 0x61, 0x7F, 0xFF].randomElement(using: &random) ?? 0
      }
    }
    let texts = Set((0..<Int.random(in: 0...200, using: &random)).map { _ in text() })
      .sorted { $0.lexicographicallyPrecedes($1) }
    let column = try column(texts)
    for probe in texts + (0..<200).map({ _ in text() }) {
      #expect(column.row(of: probe) == texts.firstIndex(of: probe))
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `the byte order equals the order of memcmp`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      let (left, right) = (
        (0..<Int.random(in: 0...3, using: &random)).map { _ in UInt8.random(in: 0...2, using: &random) },
        (0..<Int.random(in: 0...3, using: &random)).map { _ in UInt8.random(in: 0...2, using: &random) }
      )
      #expect(ByteOrder.precedes(left.span, right.span) == left.lexicographicallyPrecedes(right))
      #expect(ByteOrder.equal(left.span, right.span) == (left == right))
    }
  }

  @Test(
    arguments: [
      ("descending", [0, 3, 1, 4]), ("beyond the text", [0, 9, 4]),
      ("beyond, with the last in order", [0, 99, 4]),
      ("not from the beginning", [1, 4]), ("short of the end", [0, 3]), ("none", []),
      ("too large for a signed number", [0, UInt64.max, 4]),
    ] as [(String, [UInt64])])
  func `offsets that do not fit the text are rejected`(name: String, offsets: [UInt64]) throws {
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try directory.write("x.utf8") { (writer) throws(FileError) in try writer.append("abcd") }
      try Column.write(offsets, to: "x.offsets.npy", in: &directory)
    }
    let error = #expect(throws: FileError.self) { _ = try StringColumn(path + "/x") }
    #expect(error?.operation == .read)
  }

  @Test func `a blob without its offsets is a find error`() throws {
    try scratch.write("abc", to: "x.utf8")
    #expect(throws: FileError.self) { _ = try StringColumn(scratch("x")) }
  }
}

@Suite struct CategoryColumnTests {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  /// Returns a column with `values`. The words that the writer gets are in another order and
  /// include unused ones.
  private func column(_ values: [[UInt8]?]) throws -> CategoryColumn {
    var vocabulary: [[UInt8]] = [Array("nobody's".utf8)]
    let codes = values.map { value -> UInt32 in
      guard let value else { return CategoryColumn.missing }
      if let known = vocabulary.firstIndex(of: value) { return UInt32(known) }
      vocabulary.append(value)
      return UInt32(vocabulary.count - 1)
    }
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try CategoryColumn.write(codes, in: vocabulary, to: "x", in: &directory)
    }
    return try CategoryColumn(path + "/x")
  }

  @Test func `codes follow the byte order of the words, and missing is the largest`() throws {
    let column = try column(["b", nil, "a", "b", "B"].map { $0.map { Array($0.utf8) } })
    #expect(column.vocabulary.strings == ["B", "a", "b"])
    #expect(column.codes.elements == [2, 0xFFFF_FFFF, 1, 2, 0])
  }

  @Test func `canonically equivalent words stay different`() throws {
    let words = [Array("caf\u{E9}".utf8), Array("cafe\u{301}".utf8)]
    let column = try column([words[0], words[1], words[0]])
    #expect(column.vocabulary.count == 2)
    #expect(column.codes.elements == [1, 0, 1])
  }

  @Test func `a column of missing values has no vocabulary`() throws {
    let column = try column([nil, nil])
    #expect(column.vocabulary.count == 0)
    #expect(column.codes.elements == [CategoryColumn.missing, CategoryColumn.missing])
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `every row decodes to its word`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let values = (0..<300).map { _ -> [UInt8]? in
      (oddTexts + [nil]).randomElement(using: &random) ?? nil
    }
    let column = try column(values)
    for (row, value) in values.enumerated() {
      let code = column.codes[row]
      let decoded = code == CategoryColumn.missing ? nil : Array(copying: column.vocabulary.bytes(Int(code)))
      #expect(decoded == value)
    }
  }

  @Test func `a code outside the vocabulary is rejected`() throws {
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try Column.write([UInt32(0), 2], to: "x.codes.npy", in: &directory)
      try StringColumn.write([[1], [2]], to: "x.vocabulary", in: &directory)
    }
    let error = #expect(throws: FileError.self) { _ = try CategoryColumn(path + "/x") }
    #expect(error?.reason.contains("rows that do not exist") == true)
  }

  @Test(
    arguments: [
      [0..<1, 1..<3, 3..<4], [0..<1, 2..<4, 5..<6], [4..<6, 0..<2], [0..<2, 0..<2, 1..<1, 1..<4],
      [2..<2, 6..<6], [],
    ] as [[Range<Int>]])
  func `ranges of a blob become texts, adjacent or not, in any order`(ranges: [Range<Int>]) throws {
    let blob = Array("abcdef".utf8)
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try StringColumn.write(ranges, of: blob.span, to: "x", in: &directory)
    }
    #expect(try StringColumn(path + "/x").strings == ranges.map { String(decoding: blob[$0], as: UTF8.self) })
  }
}
