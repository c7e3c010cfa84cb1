import Testing
import TestSupport

@testable import Columns
@testable import Files
@testable import RunSchemas
@testable import Text

@Suite struct TagColumnTests {
  let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func column(offsets: [UInt64], codes: [UInt32]) throws -> TagColumn {
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try Column.write(offsets, to: "x.offsets.npy", in: &directory)
      try Column.write(codes, to: "x.codes.npy", in: &directory)
      try StringColumn.write([[0x61], [0x62]], to: "x.vocabulary", in: &directory)
    }
    return try TagColumn(path + "/x")
  }

  @Test func `sets round-trip in byte order`() throws {
    let column = try column(offsets: [0, 0, 2, 3], codes: [0, 1, 1])
    #expect((0..<column.count).map(column.strings) == [[], ["a", "b"], ["b"]])
  }

  @Test(
    arguments: [
      ("no offsets", [], []), ("not from the beginning", [1, 2], [0, 1]),
      ("short of the end", [0, 1], [0, 1]),
      ("beyond the end", [0, 3], [0, 1]), ("descending", [0, 2, 1, 2], [0, 1]),
      ("a code beyond the words", [0, 1], [2]), ("codes in another order", [0, 2], [1, 0]),
      ("a code twice", [0, 2], [1, 1]),
    ] as [(String, [UInt64], [UInt32])])
  func `files that do not fit each other are rejected`(name: String, offsets: [UInt64], codes: [UInt32]) {
    let error = #expect(throws: FileError.self) { _ = try column(offsets: offsets, codes: codes) }
    #expect(error?.operation == .read)
  }

  @Test func `written sets read back as the column in memory, with only the used words`() throws {
    let vocabulary = ["zoo", "chess", "unused", "é"].map { Array($0.utf8) }
    let sets: [[UInt32]] = [[0, 1], [], [3], [1, 3, 0]]
    let path = try written(in: scratch) { (directory) throws(FileError) in
      try TagColumn.write(sets, in: vocabulary, to: "x", in: &directory)
    }
    let read = try TagColumn(path + "/x")
    let expected = [["chess", "zoo"], [], ["é"], ["chess", "zoo", "é"]]
    #expect((0..<read.count).map(read.strings) == expected)
    #expect(read.vocabulary.strings == ["chess", "zoo", "é"])
    let inMemory = TagColumn(inMemory: sets, in: vocabulary)
    #expect((0..<inMemory.count).map(inMemory.strings) == expected)
  }
}
