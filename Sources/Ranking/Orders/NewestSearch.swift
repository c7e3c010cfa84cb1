internal import Features
internal import Geohash
internal import Index
internal import PipelineFile
internal import Search

/// Finds the newest candidates in reach: of those of one time the nearer, then as everywhere.
///
/// There are two ways, which find the same: through everybody in the cells that cover the radius, and from the newest
/// candidate of all on until the list is full. Where f of n candidates are in reach, the first looks at f n of them, and
/// the second at about top / f, if it is as likely to be new here as there. Each user's search takes the shorter one, and
/// so looks at no more than about √(top n), whatever f is.
final class NewestSearch: Sendable {
  private let people: RankedPeople
  private let eligibility: Eligibility
  /// `nil` where the ranking has no radius: everybody is in reach.
  private let index: SpatialIndex?
  /// By row: when each was created, in milliseconds, as a number that every such time is exactly; -infinity where nobody
  /// knows.
  private let created: [Double]
  /// Candidates whom no flag excludes, the newest first, and where they are, in the same order.
  private let byTime: [UInt32]
  private let positions: Positions
  /// Whether nobody is looked for from the newest one on: for tests, and whoever asks for a scan.
  private let scans: Bool

  /// - Parameters:
  ///   - people: Users and candidates.
  ///   - eligibility: Who may stand on whose list.
  ///   - index: That of the candidates; `nil` where the ranking has no radius.
  ///   - created: By row: when each was created; `Int64.min` where nobody knows.
  ///   - scans: Whether everybody in reach is always looked at.
  init(
    _ people: RankedPeople, _ eligibility: Eligibility, index: SpatialIndex?, created: [Int64], scans: Bool
  ) {
    self.people = people
    self.eligibility = eligibility
    self.index = index
    self.scans = scans
    self.created = created.map { $0 == .min ? -.infinity : Double($0) }
    let byTime = created.indices.filter { eligibility.flag(of: $0) == nil }
      .sorted { (created[$1], $0) < (created[$0], $1) }
    self.byTime = byTime.map { UInt32($0) }
    let places = byTime.map { people.candidates[$0] }
    positions = Positions(
      latitudes: places.map { $0?.latitude ?? .nan }, longitudes: places.map { $0?.longitude ?? .nan })
  }

  /// The list of `user`.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - isCounting: Whether it matters who was lost where; if not, full lists may come without counts.
  /// - Returns: The newest candidates in their order, why they are few, and who was lost where.
  func search(_ user: Int, isCounting: Bool) -> SearchResult {
    let ranking = people.ranking
    let origin = people.users[user].map(DistanceOrigin.init)
    var ranges = [0..<people.candidates.count]
    if let radius = ranking.radiusInKilometers, let index {
      guard let origin else { return .withoutPosition(ranking) }
      ranges = index.candidateRanges(around: origin.coordinate, radiusInKilometers: radius)
    }
    let eligible = eligibility.of(user: user)
    var top = TopList(capacity: ranking.top, order: people.order(forUser: user))
    if !isCounting && !scans && isFull(ranges) {
      fillFromNewest(&top, origin, eligible)
      // Why a list is short is told by counting.
      if top.last != nil { return SearchResult(best: Self.published(top), shortfall: nil, counts: nil) }
      top = TopList(capacity: ranking.top, order: top.order)
    }
    return scan(ranges, top, origin, eligible)
  }

  /// Whether so many are in `ranges` that a search from the newest one on finds a list sooner.
  private func isFull(_ ranges: [Range<Int>]) -> Bool {
    let count = ranges.reduce(0) { $0 + $1.count }
    return Double(count) * Double(count) > 2 * Double(people.ranking.top) * Double(byTime.count)
  }

  private func fillFromNewest(_ top: inout TopList, _ origin: DistanceOrigin?, _ eligible: UserEligibility) {
    let radius = people.ranking.radiusInKilometers
    for (place, row) in byTime.enumerated() {
      let candidate = Int(row)
      // All behind are as old or older; who is as old may be nearer.
      if let last = top.last?.score, created[candidate] < last { return }
      let distance = positions.distanceInKilometers(from: origin, to: place)
      if let radius, !(distance <= radius) { continue }
      offer(candidate, distance, &top, isExcluded: eligible.exclusion(of: candidate) != nil)
    }
  }

  private func offer(
    _ candidate: Int, _ distance: Double, _ top: inout TopList, isExcluded: @autoclosure () -> Bool
  ) {
    top.offer(
      Recommendation(candidate: candidate, score: created[candidate], distance: distance),
      hash: people.candidateHashes[candidate], isExcluded: isExcluded())
  }

  private func scan(
    _ ranges: [Range<Int>], _ empty: TopList, _ origin: DistanceOrigin?, _ eligible: UserEligibility
  ) -> SearchResult {
    let ranking = people.ranking
    var top = empty
    var counts = SearchCounts(exclusions: ranking.exclusions.count)
    var interactedInReach = 0
    for position in ranges.joined() {
      let candidate = index.map { Int($0.rows[position]) } ?? position
      let distance = people.candidates.distanceInKilometers(from: origin, to: candidate)
      if let radius = ranking.radiusInKilometers, !(distance <= radius) { continue }
      counts.inReach += 1
      if let exclusion = eligible.exclusion(of: candidate) {
        counts.excluded[exclusion] += 1
        if eligible.hasInteracted(with: candidate) { interactedInReach += 1 }
        continue
      }
      offer(candidate, distance, &top, isExcluded: false)
    }
    return SearchResult(
      best: Self.published(top), counts: counts, interactedInReach: interactedInReach, ranking: ranking)
  }

  /// The list without times, which are no scores to anybody else.
  private static func published(_ top: TopList) -> [Recommendation] {
    top.best.map { Recommendation(candidate: $0.candidate, score: nil, distance: $0.distance) }
  }
}
