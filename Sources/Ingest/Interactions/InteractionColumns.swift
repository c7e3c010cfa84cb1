internal import Columns

/// One interaction, with the ranks of both ids.
package struct InteractionRow: Sendable {
  /// The rank of the user's id among the ids of the user's entity.
  package var user: UInt32
  /// The rank of the candidate's id among the ids of the candidate's entity.
  package var candidate: UInt32
  /// The time in milliseconds since 1970 UTC.
  package var at: Int64
  /// The value; NaN if the row retracts the earlier interactions of the user with the candidate.
  package var value: Double
}

/// Interactions as a list of parts in file order. Appending a part does not copy its rows.
///
/// The rows of each part are grouped by the user's bucket. This grouping is the first step of the sort by
/// user. It is done while the part is in the CPU cache.
package struct InteractionColumns: Sendable {
  private(set) var parts: [InteractionPart] = []
  /// The index of the first row of each part, and the total number of rows.
  private var starts = [0]
  /// The buckets of user ranks by which the rows are grouped.
  let buckets: KeyBuckets
  /// The possible values in ascending order; `nil` if there are more than 256 or any number is possible.
  let distinctValues: [Double]?

  /// - Parameters:
  ///   - users: The number of users.
  ///   - values: All possible values; `nil` if any number is possible.
  init(users: Int, values: (some Sequence<Double>)?) {
    buckets = KeyBuckets(keys: users)
    // Bit patterns are compared, because positive and negative zero are equal but must both be kept.
    let distinct = values.map { values in
      Set(values.map(\.bitPattern)).map(Double.init(bitPattern:)).sorted {
        $0.isTotallyOrdered(belowOrEqualTo: $1)
      }
    }
    distinctValues = (distinct?.count ?? .max) <= 256 ? distinct : nil
  }

  /// Creates an instance without interactions.
  init() { self.init(users: 0, values: nil as [Double]?) }

  mutating func append(_ part: InteractionPart) {
    guard !part.rows.isEmpty else { return }
    parts.append(part)
    starts.append(count + part.rows.count)
  }

  /// Replaces all parts, for example to remove rows.
  mutating func replaceParts(_ parts: [InteractionPart]) {
    (self.parts, starts) = ([], [0])
    for part in parts { append(part) }
  }

  /// Returns the newest rows of different users up to the time `limit`, in milliseconds since 1970 UTC.
  func newestUsers(until limit: Int64) -> NewestUsers {
    var newest = NewestUsers()
    // Files are usually in chronological order, so the last parts raise the threshold most.
    for part in parts.reversed() where part.newest > newest.threshold {
      for bucket in 0..<buckets.count {
        for index in part.range(bucket) where part.at(index) > newest.threshold && part.at(index) <= limit {
          newest.add(UInt64(buckets.key(part.row(index).place, in: bucket)), at: part.at(index))
        }
      }
    }
    return newest
  }

  /// Returns the time of the newest row that is not after `limit`, both in milliseconds since 1970 UTC; `nil`
  /// if no such row exists.
  func newest(until limit: Int64) -> Int64? {
    parts.lazy.compactMap { part in
      part.newest <= limit ? part.newest : part.rows.indices.lazy.map(part.at).filter { $0 <= limit }.max()
    }.max()
  }
}

/// Iterates over single rows: in input order if the parts store this order, otherwise in bucket order.
extension InteractionColumns: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { starts[starts.count - 1] }

  /// - Complexity: O(log n) in the number of parts and buckets. Use the subscript only for single rows.
  package subscript(_ row: Int) -> InteractionRow {
    // This binary search finds the last part that begins at or before the row.
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
