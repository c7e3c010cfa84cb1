internal import Geohash
internal import Ingest
internal import PipelineFile

/// How many candidates of a ranking each user who is to have a list has within the radius, without one's own where the
/// ranking excludes them, and without candidates whose flags it excludes or who do not meet its conditions. Whom a user
/// interacted with or was passed on by counts, and so do whoever does not meet a wish or a condition on a computed number,
/// and everybody within the ranking's radius where users or candidates have radii of their own.
///
/// Positions are cells' centres, so users of one cell have the same candidates in reach: cells are compared, each
/// pair once. Where that would be more than `exactLimit` pairs, an evenly spaced sample of users is looked at.
///
/// - Complexity: O(u + c + p), with u users, c candidates, and p pairs of a cell with users that are looked at and
///   a cell with candidates about its circle: no more than the larger of `exactLimit` and `sampledLimit`, or the
///   pairs of 100 users.
struct CandidatesInReach {
  /// The most pairs of cells for which all users are looked at.
  static let exactLimit = 20_000_000
  /// Where they are more: about how many pairs are compared.
  static let sampledLimit = 100_000_000
  static let sampleSizes = 100...1000

  /// A cell with candidates.
  private struct Cell {
    var code: UInt64
    var center: Coordinate
    var cosine: Double
    var candidates: Int
  }

  private let radius: Double
  /// In ascending order of codes.
  private let cells: [Cell]

  /// The report on `ranking`; `nil` where it has no radius, or its users or candidates could not be read.
  static func report(
    on ranking: Pipeline.Ranking, in exports: IngestedExports, exactLimit: Int = exactLimit
  ) -> DataReport.Reach? {
    guard let radius = ranking.radiusInKilometers, let users = exports.entities[ranking.users],
      let candidates = exports.entities[ranking.candidates]
    else { return nil }
    let eligible = candidates.eligible(
      under: ranking, isKept: exports.isKept(ranking.candidates), asOf: exports.asOf.instant)
    let search = CandidatesInReach(
      eligible.indices.lazy.filter { eligible[$0] }.compactMap { candidates.rows[$0].position },
      radius: radius)
    let own = OwnEntities(ranking, users, candidates)

    let isKept = exports.isKept(ranking.users)
    let hasList = users.meeting(ranking.audience, among: isKept, asOf: exports.asOf.instant)
    let kept = users.rows.indices.filter { hasList[$0] }
    let positioned = kept.filter { users.rows[$0].position != nil }
    let sample = search.sample(of: positioned, in: users, exactLimit: exactLimit)
    var known: [Coordinate: Int] = [:]
    let counts = sample.compactMap { number -> Int? in
      guard let position = users.rows[number].position else { return nil }
      let inCircle = known[position] ?? search.count(around: position)
      known[position] = inCircle
      let ownInCircle = own?.numbers(of: number).count { own in
        guard eligible[own], let other = candidates.rows[own].position else { return false }
        return search.isInCircle(other, around: position)
      }
      return inCircle - (ownInCircle ?? 0)
    }.sorted()
    return DataReport.Reach(
      ranking: ranking.name, kilometers: radius, users: positioned.count,
      withoutPosition: kept.count - positioned.count, sampled: counts.count,
      withNone: counts.count { $0 == 0 },
      tenthPercentile: counts.quantile(10) ?? 0, median: counts.median ?? 0,
      ninetiethPercentile: counts.quantile(90) ?? 0)
  }

  private init(_ positions: some Sequence<Coordinate>, radius: Double) {
    self.radius = radius
    var counts: [Coordinate: Int] = [:]
    for position in positions { counts[position, default: 0] += 1 }
    cells = counts.map { center, count in
      Cell(
        code: Geohash(center, precision: 12).bits, center: center,
        cosine: DistanceOrigin.cosine(ofLatitude: center.latitude), candidates: count)
    }.sorted { $0.code < $1.code }
  }

  /// All of `numbers`, or evenly spaced ones in the order of their ids.
  private func sample(of numbers: [Int], in users: EntityRows, exactLimit: Int) -> [Int] {
    let userCells = Set(numbers.compactMap { users.rows[$0].position }).count
    let (pairs, overflow) = userCells.multipliedReportingOverflow(by: max(cells.count, 1))
    guard overflow || pairs > exactLimit else { return numbers }
    let size = min(
      max(Self.sampledLimit / max(cells.count, 1), Self.sampleSizes.lowerBound), Self.sampleSizes.upperBound)
    guard size < numbers.count else { return numbers }
    let ids = users.ids
    let order = numbers.sorted { ids.ranks[$0] < ids.ranks[$1] }
    // The middles of as many equal parts.
    return (0..<size).map { order[((2 * $0 + 1) * order.count) / (2 * size)] }
  }

  /// How many candidates stand within the radius of `center`, decided as the ranking decides it.
  private func count(around center: Coordinate) -> Int {
    let ranges: [Range<UInt64>]
    do {
      ranges = try Geohash.coveringRanges(center: center, radiusInKilometers: radius, maximumRanges: 16)
    } catch {
      preconditionFailure("a checked radius was refused: \(error)")
    }
    let origin = DistanceOrigin(center)
    var count = 0
    for range in ranges {
      for index in firstIndex(atLeast: range.lowerBound)..<firstIndex(atLeast: range.upperBound) {
        let cell = cells[index]
        let distance = origin.distanceInKilometers(
          toLatitude: cell.center.latitude, longitude: cell.center.longitude, cosineOfLatitude: cell.cosine)
        if distance <= radius { count += cell.candidates }
      }
    }
    return count
  }

  private func isInCircle(_ position: Coordinate, around center: Coordinate) -> Bool {
    DistanceOrigin(center).distanceInKilometers(
      toLatitude: position.latitude, longitude: position.longitude,
      cosineOfLatitude: DistanceOrigin.cosine(ofLatitude: position.latitude)) <= radius
  }

  private func firstIndex(atLeast code: UInt64) -> Int {
    var low = 0
    var high = cells.count
    while low < high {
      let middle = (low + high) / 2
      if cells[middle].code < code { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
