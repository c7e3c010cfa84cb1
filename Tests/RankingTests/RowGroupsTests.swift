import Columns
import RunSchemas
import Testing

@testable import Ranking

/// The groups of rows and the words of rows from which the rules of lists are made.
@Suite struct RowGroupsTests {
  @Test func `groups are ascending and without repetition`() {
    let groups = RowGroups(
      count: 4,
      [
        (group: 2, member: 5), (group: 0, member: 9), (group: 2, member: 1), (group: 2, member: 5),
        (group: 0, member: 0),
      ])
    #expect((0..<4).map { Array(groups[$0]) } == [[0, 9], [], [1, 5], []])
    let last = RowGroups(count: 2, [(group: 1, member: 3)])
    #expect((0..<2).map { Array(last[$0]) } == [[], [3]])
    #expect(Array(RowGroups(count: 1, [])[0]).isEmpty)
  }

  private static func words(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  private static func table(_ attributes: AttributeColumns, count: Int) -> EntityTable {
    EntityTable(
      ids: StringColumn(inMemory: (0..<count).map { [UInt8(97 + $0)] }), position: nil, owner: nil,
      attributes: attributes)
  }

  @Test func `words are the tags of a row, or the word of its category`() throws {
    let tags = TagColumn(inMemory: [[0, 2], [], [1]], in: Self.words(["a", "b", "c"]))
    let kinds = CategoryColumn(
      inMemory: [2, CategoryColumn.missing, 0, 1], in: Self.words(["b", "c", "z"]))
    let tagged = try #require(
      RowWords("labels", of: Self.table(AttributeColumns(tags: ["labels": tags]), count: 3)))
    let categorized = try #require(
      RowWords("kind", of: Self.table(AttributeColumns(categories: ["kind": kinds]), count: 4)))
    let none = RowWords("none", of: Self.table(AttributeColumns(tags: ["labels": tags]), count: 3))
    #expect(none.map { _ in 0 } == nil)
    #expect((0..<3).map { Array(tagged[$0]) } == [[0, 2], [], [1]])
    #expect((0..<4).map { Array(categorized[$0]) } == [[2], [], [0], [1]])
    #expect(categorized.codes(in: tagged) == [1, 2, nil])
    #expect(tagged.codes(in: categorized) == [nil, 0, 1])
    let wished: [([UInt32], [Int])] = [
      ([0, 1, 2], [2, 0, 1]), ([], [0, 0, 0]), ([2], [1, 0, 0]), ([0], [1, 0, 0]), ([1], [0, 0, 1]),
      ([1, 2], [1, 0, 1]), ([0, 2], [2, 0, 0]),
    ]
    for (codes, expected) in wished {
      #expect((0..<3).map { tagged.shared(codes, by: $0) } == expected, "\(codes)")
    }
    let wish = UserWish.sharing(1...2, [0, 2], tagged)
    #expect((0..<3).map { wish.isMet(by: $0) } == [true, false, false])
    let numbers = UserWish.within(2...3, [1, 2, 3, 4, .nan])
    #expect((0..<5).map { numbers.isMet(by: $0) } == [false, true, true, false, false])
  }
}
