import Columns
import Testing
import Text

@testable import RunSchemas

/// Writes the attributes of rows as JSON.
@Suite struct AttributeColumnTests {
  private func values(_ column: AttributeColumn, rows: Int) -> [String] {
    (0..<rows).map { row in
      var text = JSONText()
      column.append(row, to: &text)
      return String(decoding: text.bytes, as: UTF8.self)
    }
  }

  private static let words = ["x", "y"].map { Array($0.utf8) }

  @Test(
    arguments: [
      (
        .category(CategoryColumn(inMemory: [1, CategoryColumn.missing, 0], in: words)),
        ["\"y\"", "null", "\"x\""]
      ),
      (.number(Column(inMemory: [1.5, .nan])), ["1.5", "null"]),
      (.flag(Column(inMemory: [1, 0])), ["true", "false"]),
      (.text(StringColumn(inMemory: [Array("a".utf8), []])), ["\"a\"", "null"]),
      (.tags(TagColumn(inMemory: [[], [0], [1, 0]], in: words)), ["[]", "[\"x\"]", "[\"x\",\"y\"]"]),
      (
        .date(Column(inMemory: [0, .min, 1000])),
        ["\"1970-01-01\"", "null", "\"1970-01-01T00:00:01Z\""]
      ),
      (
        .intervals(IntervalColumn(inMemory: [[], [0..<1000, 2000..<3000]])),
        [
          "[]",
          "[{\"from\":\"1970-01-01T00:00:00Z\",\"to\":\"1970-01-01T00:00:01Z\"},"
            + "{\"from\":\"1970-01-01T00:00:02Z\",\"to\":\"1970-01-01T00:00:03Z\"}]",
        ]
      ),
    ] as [(AttributeColumn, [String])])
  func `a value has a JSON form, and a missing one is null or an empty array`(
    column: AttributeColumn, expected: [String]
  ) {
    #expect(values(column, rows: expected.count) == expected)
  }
}
