internal import Columns
internal import Concurrency
internal import Geohash
internal import PipelineFile
internal import RunSchemas

extension FeatureBinding {
  func bind(_ feature: DistanceFeature) -> BoundValues {
    let bounds: NumberBounds?
    if let form {
      bounds = form.features[feature.names[0]]?.candidates
    } else {
      bounds = distanceBounds()
    }
    var bound = BoundValues(
      DistanceShape(
        users: positions.users, candidates: positions.candidates, most: bounds?.high ?? .infinity,
        isLogarithm: feature.isLogarithm))
    bound.form.candidates = bounds
    return bound
  }

  /// Returns the bounds of the distances of the learning rows; `nil` if no distance is known.
  private func distanceBounds() -> NumberBounds? {
    guard var bounds = NumberBounds(ofDistances: sampledDistances(), within: radiusOfRankings()) else {
      return nil
    }
    let most = bounds.high
    bounds.beyond = parallelMap(count: learning.userOffsets.count - 1, chunkSize: 1024, threads: threads) {
      (users: Range<Int>) -> Int in
      var beyond = 0
      for user in users {
        guard let origin = positions.users[user].map(DistanceOrigin.init) else { continue }
        for row in learning.range(ofUser: user) where distance(ofRow: row, from: origin) > most {
          beyond += 1
        }
      }
      return beyond
    }.reduce(0, +)
    return bounds
  }

  /// Returns the distances of at most about 65 536 learning rows, at regular intervals in the table.
  private func sampledDistances() -> [Double] {
    let step = learning.count / (1 << 16) + 1
    var distances: [Double] = []
    for user in 0..<learning.userOffsets.count - 1 {
      let rows = learning.range(ofUser: user)
      let first = (rows.lowerBound + step - 1) / step * step
      guard first < rows.upperBound, let origin = positions.users[user].map(DistanceOrigin.init) else {
        continue
      }
      for row in stride(from: first, to: rows.upperBound, by: step) {
        distances.append(distance(ofRow: row, from: origin))
      }
    }
    return distances
  }

  private func distance(ofRow row: Int, from origin: DistanceOrigin) -> Double {
    positions.candidates.distanceInKilometers(from: origin, to: Int(learning.candidate[row]))
  }

  /// Returns the greatest radius of the rankings that can show these users these candidates; `nil` if one of
  /// the rankings has no radius or a radius for each user, or if no ranking exists.
  private func radiusOfRankings() -> Double? {
    let rankings = pipeline.rankings.filter {
      $0.users == interaction.user.entity && $0.candidates == interaction.candidate.entity
    }
    let radii = rankings.compactMap { $0.radiusAttribute == nil ? $0.radiusInKilometers : nil }
    return radii.count == rankings.count ? radii.max() : nil
  }
}
