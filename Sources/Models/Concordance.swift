/// Returns the concordance: among the pairs of rows with different values, the share in which the row with
/// the larger value has the larger prediction. Equal predictions count half. For likes and passes, the
/// concordance equals the area under the ROC curve.
///
/// - Parameter rows: Predictions and values without NaN.
/// - Returns: A number from 0 to 1; `nil` if all values are equal or there are no rows.
/// - Complexity: O(n log n): a Fenwick tree counts rows by the rank of their prediction, in ascending order
///   of value.
func concordance(_ rows: [(prediction: Double, value: Double)]) -> Double? {
  let byPrediction = rows.indices.sorted { rows[$0].prediction < rows[$1].prediction }
  var ranks = [Int](repeating: 0, count: rows.count)
  var (rank, last) = (0, nil as Double?)
  for index in byPrediction {
    if rows[index].prediction != last { rank += 1 }
    (ranks[index], last) = (rank, rows[index].prediction)
  }

  let byValue = rows.indices.sorted { rows[$0].value < rows[$1].value }
  var smaller = RankCounts(ranks: rank)
  // An agreeing pair counts 2 and a tie counts 1, so that all counts are whole numbers.
  var (start, pairs, agreeing) = (0, 0, 0)
  while start < byValue.count {
    let value = rows[byValue[start]].value
    let end = byValue[(start + 1)...].firstIndex { rows[$0].value != value } ?? byValue.count
    for index in byValue[start..<end] {
      pairs += start
      agreeing += smaller.count(upTo: ranks[index] - 1) + smaller.count(upTo: ranks[index])
    }
    for index in byValue[start..<end] { smaller.insert(ranks[index]) }
    start = end
  }
  return pairs > 0 ? Double(agreeing) / 2 / Double(pairs) : nil
}

/// A Fenwick tree of rank counts, with prefix sums in logarithmic time.
///
/// Source: Fenwick 1994, doi:10.1002/spe.4380240306.
private struct RankCounts {
  /// Element i counts the ranks in a range that ends with i and whose length is the lowest set bit of i.
  /// Element 0 is unused.
  private var sums: [Int]

  /// Creates empty counts for the ranks 1 to `ranks`.
  init(ranks: Int) {
    sums = [Int](repeating: 0, count: ranks + 1)
  }

  mutating func insert(_ rank: Int) {
    var place = rank
    while place < sums.count {
      sums[place] += 1
      place += place & -place
    }
  }

  /// Returns the number of inserted ranks from 1 to `rank`; 0 if `rank` is 0.
  func count(upTo rank: Int) -> Int {
    var (place, count) = (rank, 0)
    while place > 0 {
      count += sums[place]
      place &= place - 1
    }
    return count
  }
}
