/// Rows that were loaded, evenly over a table, to be compared with what the store then gives back.
struct RowSample {
  private(set) var rows: [LoadedRow] = []
  /// Every so many rows one is taken.
  private var step = 1
  private var count = 0
  private static let capacity = 256

  /// Counts a row, and takes it if it is its turn.
  mutating func add(_ row: () -> LoadedRow) {
    defer { count += 1 }
    guard count % step == 0 else { return }
    if rows.count == Self.capacity {
      // Every second one goes, and from now on half as many come.
      rows = rows.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
      step *= 2
      guard count % step == 0 else { return }
    }
    rows.append(row())
  }
}
