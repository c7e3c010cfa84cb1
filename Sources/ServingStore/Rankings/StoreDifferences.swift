/// The differences between the rows of a store and the rows that were published to it.
package struct StoreDifferences: Sendable {
  /// The number of compared rows.
  package var rows = 0
  /// The number of rows that differ or that exist on only one side.
  package var differing = 0
  /// The first 20 differences as text, each with its file and line or its table and row, but without ids.
  /// Lines and rows are counted from 1.
  package var differences: [String] = []

  mutating func add(_ difference: String, rows: Int = 1) {
    differing += rows
    if differences.count < 20 { differences.append(difference) }
  }
}
