/// Candidates that can be counted and picked by number.
package struct CandidatePool {
  /// Rows in the order of the index; `nil` where every number is a row.
  let rows: [UInt32]?
  let ranges: [Range<Int>]

  package var count: Int { ranges.reduce(0) { $0 + $1.count } }

  /// The row of the candidate with the number `place`, from 0.
  ///
  /// - Complexity: O(ranges), of which there are at most 16.
  package subscript(place: Int) -> Int {
    var rest = place
    for range in ranges {
      if rest < range.count {
        let position = range.lowerBound + rest
        return rows.map { Int($0[position]) } ?? position
      }
      rest -= range.count
    }
    preconditionFailure("there is no candidate \(place) in a pool of \(count)")
  }
}
