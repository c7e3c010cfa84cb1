/// Interactions in the order of the files, in columns of parts of them: nothing is copied when parts are joined.
struct InteractionColumns: Sendable {
  /// Some rows, one behind the other. All columns have the same length.
  struct Part: Sendable {
    /// Ranks among the ids of the user's and the candidate's entity.
    var user: [UInt32] = []
    var candidate: [UInt32] = []
    /// Milliseconds since 1970 UTC.
    var at: [Int64] = []
    /// Places in `distinctValues`; empty where there is no such table.
    var code: [UInt8] = []
    /// The values themselves; empty where they are coded.
    var value: [Double] = []
    /// The newest row's time; `Int64.min` without rows.
    var newest = Int64.min

    var count: Int { at.count }
  }

  private(set) var parts: [Part] = []
  /// Where each part begins, and the end.
  private var starts = [0]
  /// The values that the pipeline file maps to, ascending, where there are few.
  let distinctValues: [Double]?

  /// - Parameter values: All values that there can be; `nil` where they may be any numbers.
  init(values: (some Sequence<Double>)?) {
    // By bits: the two zeros are written as they are.
    let distinct = values.map { values in
      Set(values.map(\.bitPattern)).map(Double.init(bitPattern:)).sorted { $0.isTotallyOrdered(belowOrEqualTo: $1) }
    }
    distinctValues = (distinct?.count ?? .max) <= 256 ? distinct : nil
  }

  mutating func append(_ part: Part) {
    guard part.count > 0 else { return }
    parts.append(part)
    starts.append(count + part.count)
  }

  /// The time of the newest row that is not later than `limit`; `nil` where there is none.
  func newest(until limit: Int64) -> Int64? {
    parts.lazy.compactMap { part in
      part.newest <= limit ? part.newest : part.at.lazy.filter { $0 <= limit }.max()
    }.max()
  }

  func value(_ part: Part, _ index: Int) -> Double {
    distinctValues.map { $0[Int(part.code[index])] } ?? part.value[index]
  }
}

extension InteractionColumns: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { starts[starts.count - 1] }

  /// - Complexity: O(log n) in the number of parts: for looks at single rows.
  subscript(_ row: Int) -> InteractionRows.Row {
    var low = 0
    var high = parts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= row { low = middle } else { high = middle }
    }
    let part = parts[low]
    let index = row - starts[low]
    return InteractionRows.Row(
      user: part.user[index], candidate: part.candidate[index], at: part.at[index], value: value(part, index))
  }
}
