/// How often, among pairs of rows with different values, the larger value has the larger prediction; equal predictions
/// count half. For likes and passes it is the area under the ROC curve.
///
/// - Parameter rows: Numbers, none NaN.
/// - Returns: 0 to 1; `nil` where all values are the same.
/// - Complexity: O(n log n): rows are counted by the rank of their prediction, from the smallest value on.
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
  // Agreeing pairs twice, so that halves are whole.
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

/// How many have been inserted of each rank, summed up to any rank in logarithmic time.
///
/// Source: Fenwick 1994, doi:10.1002/spe.4380240306.
private struct RankCounts {
  /// At i the count of the ranks that end with i, as many as i's lowest set bit; 0 is unused.
  private var sums: [Int]

  /// For ranks from 1 to `ranks`.
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

  /// How many of the ranks 1 to `rank` there are; none up to 0.
  func count(upTo rank: Int) -> Int {
    var (place, count) = (rank, 0)
    while place > 0 {
      count += sums[place]
      place &= place - 1
    }
    return count
  }
}
