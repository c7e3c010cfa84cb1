internal import Geohash

/// The distance between user and candidate in kilometers, or its logarithm, computed for each pair.
/// Predictions limit the distance to `most`. For learning rows, a distance above `most` is missing.
package struct DistanceShape: ValueShape {
  let users: Positions
  let candidates: Positions
  package let scale: DistanceScale

  package init(
    users: Positions, candidates: Positions, most: Double = .infinity, isLogarithm: Bool = false
  ) {
    self.users = users
    self.candidates = candidates
    scale = DistanceScale(most: most, isLogarithm: isLogarithm)
  }

  package var form: SearchForm { .distance }
  package var words: [String] { ["near", "far"] }
  package var learningColumns: LearningColumns { LearningColumns(numbers: candidates.columns) }

  package func value(user: Int, candidate: Int, distance: Double) -> Double { scale(distance) }

  package func learnedValue(_ interaction: Int, of pair: FeaturePair) -> Double {
    scale.learned(pair.distance)
  }

  /// Returns an empty summary, because bounds of distances are computed from the positions of the group
  /// (`GroupDistances`).
  package func summary(of candidate: Int) -> FeatureSummary { FeatureSummary() }

  package func bound(ofUser user: Int) -> ValueBound {
    { [scale] _, distances in
      guard let known = distances.known else { return ValueRange.none(hasMissing: distances.hasUnknown) }
      return ValueRange(low: scale(known.least), high: scale(known.most), hasMissing: distances.hasUnknown)
    }
  }

  package func writeLearned(_ rows: LearningRowsOfUser, to values: inout [Double], at base: Int) {
    let count = rows.count
    guard let origin = users[rows.user].map(DistanceOrigin.init) else {
      for place in base..<base + count { values[place] = .nan }
      return
    }
    let positions = rows.numbers.span
    var whole = values.mutableSpan
    var output = whole._mutatingExtracting(base..<base + count)
    origin.writeDistancesInKilometers(
      latitudes: positions.extracting(0..<count),
      longitudes: positions.extracting(rows.stride..<rows.stride + count),
      cosinesOfLatitudes: positions.extracting(2 * rows.stride..<2 * rows.stride + count), into: &output)
    for place in 0..<count { output[place] = scale.learned(output[place]) }
  }
}
