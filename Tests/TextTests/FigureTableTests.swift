import Testing
import Text

struct FigureTableTests {
  private static var table: FigureTable {
    var table = FigureTable(columns: ["one", "", "two"])
    table.add("name", ["1", "", "22"])
    table.add("n", ["", "", "3"])
    return table
  }

  @Test func `a table is as wide as needed, without empty columns`() {
    #expect(Self.table.lines() == ["          one  two", "    name    1   22", "    n            3"])
    #expect(Self.table.lines(indent: 0, width: 14) == ["      one  two", "name    1   22", "n            3"])
  }

  @Test func `columns that do not fit are printed below, with the names again`() {
    #expect(
      Self.table.lines(indent: 0, width: 13) == [
        "      one", "name    1", "n", "      two", "name   22", "n       3",
      ])
  }

  @Test func `a column that never fits is printed alone`() {
    #expect(Self.table.lines(indent: 0, width: 1) == Self.table.lines(indent: 0, width: 13))
  }

  @Test func `the first column can have a name`() {
    var table = FigureTable(columns: ["users"], names: "city")
    table.add("Cork", ["10"])
    #expect(table.lines(indent: 2) == ["  city  users", "  Cork     10"])
  }
}
