internal import Geohash

/// The distance between user and candidate in kilometers, computed for each pair.
package struct DistanceShape: ValueShape {
  let users: Positions
  let candidates: Positions

  package init(users: Positions, candidates: Positions) {
    self.users = users
    self.candidates = candidates
  }

  package var form: SearchForm { .distance }
  package var words: [String] { ["near", "far"] }
  package var learningColumns: LearningColumns { LearningColumns(numbers: candidates.columns) }

  package func value(user: Int, candidate: Int, distance: Double) -> Double { distance }

  /// Returns an empty summary, because bounds of distances are computed from the positions of the group
  /// (`GroupDistances`).
  package func summary(of candidate: Int) -> FeatureSummary { FeatureSummary() }

  package func bound(ofUser user: Int) -> ValueBound {
    { _, distances in
      ValueRange(
        low: distances.known?.least ?? .infinity, high: distances.known?.most ?? -.infinity,
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
  }
}
