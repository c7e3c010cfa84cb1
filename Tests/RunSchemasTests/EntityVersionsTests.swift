import Columns
import Files
import Testing
import TestSupport

@testable import RunSchemas

/// Earlier versions must have the order that searches rely on.
@Suite struct EntityVersionsTests {
  private func versions(_ rows: [UInt32], _ times: [Int64], of count: Int = 3) throws -> EntityVersions {
    let scratch = try ScratchDirectory()
    try scratch.stage("earlier") {
      try Column.write(rows, to: "row.npy", in: &$0)
      try Column.write(times, to: "updated.npy", in: &$0)
    }
    return try EntityVersions(
      scratch("earlier"), EntitySchema(name: "people", hasPosition: false, hasUpdated: true, attributes: [:]),
      of: count)
  }

  @Test func `the last version up to a time is found`() throws {
    let versions = try versions([0, 0, 2, 2, 2], [5, 9, 1, 4, 8])
    #expect(versions.count == 5)
    for (row, time, expected) in [
      (0, 4, nil), (0, 5, 0), (0, 8, 0), (0, 9, 1), (0, 100, 1), (1, 100, nil), (2, 0, nil), (2, 1, 2),
      (2, 7, 3), (2, 8, 4),
    ] as [(Int, Int64, Int?)] {
      #expect(versions.last(of: row, notAfter: time) == expected, "row \(row) at \(time)")
    }
  }

  @Test(
    arguments: [
      ("rows descend", [1, 0], [1, 2]), ("times descend", [0, 0], [2, 1]), ("a time twice", [0, 0], [2, 2]),
      ("a row beyond the table", [0, 3], [1, 1]), ("a time too few", [0, 1], [1]),
    ] as [(String, [UInt32], [Int64])])
  func `files in another order are rejected`(name: String, rows: [UInt32], times: [Int64]) {
    let error = #expect(throws: FileError.self) { _ = try versions(rows, times) }
    #expect(error?.operation == .read, "\(name)")
  }

  @Test func `a table may have no earlier version`() throws {
    let none = try versions([], [])
    #expect(none.count == 0 && none.last(of: 0, notAfter: .max) == nil)
  }
}
