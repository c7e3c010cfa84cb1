internal import Columns

/// One interaction with the numbers of both ids.
package struct InteractionRow: Sendable {
  /// Ranks among the ids of the user's and the candidate's entity.
  package var user: UInt32
  package var candidate: UInt32
  package var at: Int64
  package var value: Double
}

/// Interactions in the order of the files, in parts of them: nothing is copied when parts are joined.
///
/// Each part has its rows by bucket of the user already, as it is in a processor's cache while it is made: the first step of
/// sorting them by user.
package struct InteractionColumns: Sendable {
  private(set) var parts: [InteractionPart] = []
  /// Where each part begins, and the end.
  private var starts = [0]
  /// Of the ranks of users.
  let buckets: KeyBuckets
  /// The values that the pipeline file maps to, ascending, where there are few.
  let distinctValues: [Double]?

  /// - Parameters:
  ///   - users: How many users there are.
  ///   - values: All values that there can be; `nil` where they may be any numbers.
  init(users: Int, values: (some Sequence<Double>)?) {
    buckets = KeyBuckets(keys: users)
    // By bits: the two zeros are written as they are.
    let distinct = values.map { values in
      Set(values.map(\.bitPattern)).map(Double.init(bitPattern:)).sorted {
        $0.isTotallyOrdered(belowOrEqualTo: $1)
      }
    }
    distinctValues = (distinct?.count ?? .max) <= 256 ? distinct : nil
  }

  /// Nothing.
  init() { self.init(users: 0, values: nil as [Double]?) }

  mutating func append(_ part: InteractionPart) {
    guard !part.rows.isEmpty else { return }
    parts.append(part)
    starts.append(count + part.rows.count)
  }

  /// All parts anew, such as those without some rows.
  mutating func replaceParts(_ parts: [InteractionPart]) {
    (self.parts, starts) = ([], [0])
    for part in parts { append(part) }
  }

  /// The time of the newest row that is not later than `limit`; `nil` where there is none.
  func newest(until limit: Int64) -> Int64? {
    parts.lazy.compactMap { part in
      part.newest <= limit ? part.newest : part.rows.indices.lazy.map(part.at).filter { $0 <= limit }.max()
    }.max()
  }
}

/// Rows one by one: in input order where parts have it, else in that of their buckets.
extension InteractionColumns: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { starts[starts.count - 1] }

  /// - Complexity: O(log n) in the number of parts and buckets: for looks at single rows.
  package subscript(_ row: Int) -> InteractionRow {
    // The last that begins at or before the row.
    let number = starts.partitioningIndex { $0 > row } - 1
    let part = parts[number]
    let place = row - starts[number]
    let index = part.order.isEmpty ? place : Int(part.order[place])
    let bucket = part.starts.partitioningIndex { $0 > index } - 1
    let packed = part.row(index)
    return InteractionRow(
      user: buckets.key(packed.place, in: bucket), candidate: packed.candidate, at: part.at(index),
      value: distinctValues.map { $0[Int(packed.code)] } ?? part.values[index])
  }
}
