/// The area under the receiver operating characteristic, which measures how well scores order likes above
/// passes.
package struct AreaUnderCurve: Hashable, Sendable {
  /// The share of pairs of a like and a pass in which the like has the higher score, with ties counted as
  /// half. The area ranges from 0 to 1; random scores have an area of 0.5 on average. `nil` if there are no
  /// likes or no passes.
  package let value: Double?
  package let likes: Int
  package let passes: Int

  /// Computes the area for finite `scores`; `isLike` marks the scores of likes.
  ///
  /// Equal scores share their mean rank. The sum of the ranks is exact below 2⁵².
  ///
  /// - Complexity: O(n log n).
  ///
  /// Source: Mann, Whitney 1947, doi:10.1214/aoms/1177730491; Hanley, McNeil 1982,
  /// doi:10.1148/radiology.143.1.7063747.
  package init(scores: [Double], isLike: [Bool]) {
    precondition(
      scores.count == isLike.count,
      "each decision must have one score, but there are \(scores.count) scores for \(isLike.count) decisions")
    likes = isLike.count { $0 }
    passes = isLike.count - likes
    guard likes > 0, passes > 0 else {
      value = nil
      return
    }
    let order = scores.indices.sorted { scores[$0] < scores[$1] }
    var rankSum = 0.0
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count, scores[order[end]] == scores[order[start]] { end += 1 }
      // Equal scores have the ranks start + 1 to end and share the mean rank.
      let rank = Double(start + 1 + end) / 2
      rankSum += rank * Double(order[start..<end].count { isLike[$0] })
      start = end
    }
    let least = Double(likes) * Double(likes + 1) / 2
    value = (rankSum - least) / (Double(likes) * Double(passes))
  }

  /// Returns the mean of `areas`, weighted by each user's number of decisions; `nil` if every area lacks a
  /// value.
  package static func weightedMean(_ areas: [AreaUnderCurve]) -> Double? {
    var sum = 0.0
    var weights = 0.0
    for area in areas {
      guard let value = area.value else { continue }
      let weight = Double(area.likes + area.passes)
      sum += weight * value
      weights += weight
    }
    return weights == 0 ? nil : sum / weights
  }
}
