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
    bounds.beyond = rows(beyond: bounds.high)
    return bounds
  }

  /// Returns the number of learning rows whose distance is above `most` kilometers.
  ///
  /// Bounds by chords decide almost all rows, because computing each distance would take much longer.
  private func rows(beyond most: Double) -> Int {
    let users = positions.users.vectors(threads: threads)
    let candidates = positions.candidates.vectors(threads: threads)
    return parallelMap(count: learning.userOffsets.count - 1, chunkSize: 1024, threads: threads) {
      (chunk: Range<Int>) -> Int in
      var beyond = 0
      for user in chunk {
        guard let vector = users[user] else { continue }
        for row in learning.range(ofUser: user) {
          guard let other = candidates[Int(learning.candidate[row])] else { continue }
          let squared = vector.squaredChord(toX: other.x, y: other.y, z: other.z)
          if ChordBounds.mostKilometers(squaredChord: squared) <= most { continue }
          if ChordBounds.leastKilometers(squaredChord: squared) > most
            || distance(ofRow: row, from: positions.users[user].map(DistanceOrigin.init)) > most
          {
            beyond += 1
          }
        }
      }
      return beyond
    }.reduce(0, +)
  }

  /// Returns the distances of at most about 8192 learning rows, at regular intervals in the table.
  private func sampledDistances() -> [Double] {
    let step = learning.count / (1 << 13) + 1
    var distances: [Double] = []
    for user in 0..<learning.userOffsets.count - 1 {
      let rows = learning.range(ofUser: user)
      let first = (rows.lowerBound + step - 1) / step * step
      guard first < rows.upperBound else { continue }
      let origin = positions.users[user].map(DistanceOrigin.init)
      for row in stride(from: first, to: rows.upperBound, by: step) {
        distances.append(distance(ofRow: row, from: origin))
      }
    }
    return distances
  }

  private func distance(ofRow row: Int, from origin: DistanceOrigin?) -> Double {
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
