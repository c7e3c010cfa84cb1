internal import Features
internal import PipelineFile
internal import SpatialIndex

extension RankedPeople {
  /// A scan looks at so many candidates in about the time in which a search through blocks finds a list.
  private static let scanned = 64

  /// How lists are best searched: by a scan where few candidates are in the cells around users, else through blocks.
  ///
  /// Counted for some users, evenly over the table.
  ///
  /// - Parameter index: That of the candidates; `nil` where the ranking has no radius.
  /// - Returns: `scan` or `block`.
  func suitedMethod(index: SpatialIndex?) -> Recommender.Method {
    guard let radius = ranking.radiusInKilometers, let index else {
      return candidates.count <= Self.scanned ? .scan : .block
    }
    var (users, found) = (0, 0)
    for user in stride(from: 0, to: self.users.count, by: max(1, self.users.count / 256)) {
      guard let position = self.users[user] else { continue }
      users += 1
      for range in index.candidateRanges(around: position, radiusInKilometers: radius) {
        found += range.count
      }
    }
    return found <= Self.scanned * users ? .scan : .block
  }
}
