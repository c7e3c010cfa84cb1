internal import Features
internal import Geohash
internal import Index
internal import PipelineFile
internal import Search

/// Finds the newest candidates in reach. Distance breaks ties in time; further ties are broken as in other
/// rankings.
///
/// Two methods have the same result. A scan visits the cells that cover the radius; a walk starts at the
/// newest candidate and ends when the list is full. If a fraction f of n candidates is in reach, the scan
/// visits f n candidates. The walk visits about top / f candidates, if their ages do not depend on their
/// positions. Each search uses the method with fewer visits: at most about √(top n) for any f.
final class NewestSearch: Sendable {
  private let people: RankedPeople
  private let eligibility: Eligibility
  /// The index of candidates; `nil` if the ranking has no radius and all candidates are in reach.
  private let index: SpatialIndex?
  /// The creation time of each row in milliseconds; -infinity if unknown. A `Double` represents these times
  /// exactly.
  let created: [Double]
  /// The candidates that no flag or condition excludes, newest first. `positions` has their positions in the
  /// same order.
  private let byTime: [UInt32]
  private let positions: Positions
  /// Whether every search is a scan, for tests and for callers that request a scan.
  private let scans: Bool

  /// Sorts the candidates by creation time.
  ///
  /// - Parameters:
  ///   - people: Users and candidates.
  ///   - eligibility: The rules that decide which candidates may be on which lists.
  ///   - index: The candidates' index; `nil` if the ranking has no radius.
  ///   - created: The creation time of each row; `Int64.min` if unknown.
  ///   - scans: Whether to always scan all candidates in reach.
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

  /// Finds the list of `user`.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - length: The greatest length of the list.
  ///   - isCounting: Whether to count the candidates that each rule removes. If not, full lists may have no
  ///     counts.
  /// - Returns: The newest candidates in order, the shortfall, and the counts by rule.
  func search(_ user: Int, top length: Int, isCounting: Bool) -> SearchResult {
    let ranking = people.ranking
    let origin = people.users[user].map(DistanceOrigin.init)
    var ranges = [0..<people.candidates.count]
    if let radius = ranking.radiusInKilometers, let index {
      guard let origin else { return .withoutPosition(ranking) }
      ranges = index.candidateRanges(around: origin.coordinate, radiusInKilometers: radius)
    }
    let eligible = eligibility.of(user: user)
    var top = TopList(capacity: length, order: people.order(forUser: user))
    if !isCounting && !scans && isFull(ranges, top: length) {
      fillFromNewest(&top, origin, eligible)
      // Only a scan counts why candidates are missing, so a list that is not full needs a scan.
      if top.last != nil { return SearchResult(best: Self.published(top), shortfall: nil, counts: nil) }
      top = TopList(capacity: length, order: top.order)
    }
    return scan(ranges, top, origin, eligible)
  }

  /// The value of each candidate, one element per row: 0 for the newest, -1 for the oldest, and -2 for unknown times.
  var values: [Double] {
    let known = created.filter { $0 > -.infinity }
    guard let newest = known.max(), let oldest = known.min() else { return created.map { _ in -2 } }
    let range = max(newest - oldest, 1)
    return created.map { $0 > -.infinity ? -((newest - $0) / range) : -2 }
  }

  /// Returns the rows of the `top` candidates of `user` with the greatest differences of value and price, best first.
  /// `prices` has one element per row. A candidate with an infinite price is not listed. The differences must exceed
  /// `least`; `nil` for no limit.
  func bestPriced(
    _ user: Int, top length: Int, _ value: EntryValue, _ prices: [Double], above least: Double?
  ) -> [Int] {
    let ranking = people.ranking
    let origin = people.users[user].map(DistanceOrigin.init)
    if ranking.radiusInKilometers != nil, origin == nil { return [] }
    let eligible = eligibility.of(user: user)
    let cheapest = byTime.reduce(Double.infinity) { min($0, prices[Int($1)]) }
    let least = least ?? -.greatestFiniteMagnitude
    var top = TopList(capacity: length, order: people.order(forUser: user))
    for (place, row) in byTime.enumerated() {
      let candidate = Int(row)
      let value = value.value(candidate, sortKey: nil, distance: .nan)
      // All further candidates are as old or older.
      if value - cheapest < max(least, top.last?.score ?? least) { break }
      let difference = value - prices[candidate]
      guard difference > least else { continue }
      let distance = positions.distanceInKilometers(from: origin, to: place)
      if let radius = ranking.radiusInKilometers, !(distance <= radius) { continue }
      top.offer(
        Recommendation(candidate: candidate, score: difference, distance: distance),
        hash: people.candidateHashes[candidate], isExcluded: eligible.exclusion(of: candidate) != nil)
    }
    return top.best.map(\.candidate)
  }

  /// Returns whether a scan of `ranges` is likely to visit more candidates than a walk from the newest
  /// candidate.
  private func isFull(_ ranges: [Range<Int>], top: Int) -> Bool {
    let count = ranges.reduce(0) { $0 + $1.count }
    return Double(count) * Double(count) > 2 * Double(top) * Double(byTime.count)
  }

  private func fillFromNewest(_ top: inout TopList, _ origin: DistanceOrigin?, _ eligible: UserEligibility) {
    let radius = people.ranking.radiusInKilometers
    for (place, row) in byTime.enumerated() {
      let candidate = Int(row)
      // All further candidates are older than the last entry, too. A candidate of the same age may be nearer,
      // so it is still offered.
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
      best: Self.published(top), counts: counts, interactedInReach: interactedInReach, ranking: ranking,
      top: top.capacity)
  }

  /// Returns the list without scores. During the search, the creation times serve as scores.
  private static func published(_ top: TopList) -> [Recommendation] {
    top.best.map { Recommendation(candidate: $0.candidate, score: nil, distance: $0.distance) }
  }
}
