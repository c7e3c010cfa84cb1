internal import Geohash

/// The distance between user and candidate in kilometers, computed for each pair. Predictions limit it to
/// `most`. For learning rows, a distance above `most` is missing.
package struct DistanceShape: ValueShape {
  let users: Positions
  let candidates: Positions
  package let most: Double

  package init(users: Positions, candidates: Positions, most: Double = .infinity) {
    self.users = users
    self.candidates = candidates
    self.most = most
  }

  package var form: SearchForm { .distance }
  package var words: [String] { ["near", "far"] }
  package var learningColumns: LearningColumns { LearningColumns(numbers: candidates.columns) }

  package func value(user: Int, candidate: Int, distance: Double) -> Double {
    Self.limited(distance, to: most)
  }

  package func learnedValue(_ interaction: Int, of pair: FeaturePair) -> Double {
    pair.distance > most ? .nan : pair.distance
  }

  /// Returns the smaller of `distance` and `most`. NaN stays NaN.
  @inline(__always)
  package static func limited(_ distance: Double, to most: Double) -> Double {
    distance > most ? most : distance
  }

  /// Returns an empty summary, because bounds of distances are computed from the positions of the group
  /// (`GroupDistances`).
  package func summary(of candidate: Int) -> FeatureSummary { FeatureSummary() }

  package func bound(ofUser user: Int) -> ValueBound {
    { [most] _, distances in
      guard let known = distances.known else { return ValueRange.none(hasMissing: distances.hasUnknown) }
      return ValueRange(
        low: Self.limited(known.least, to: most), high: Self.limited(known.most, to: most),
        hasMissing: distances.hasUnknown)
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
    for place in 0..<count where output[place] > most { output[place] = .nan }
  }
}
