internal import Features
internal import Files
internal import Geohash
internal import Index
internal import PipelineFile
internal import Ranking
internal import RunSchemas

/// Counts the candidates within the radius of each user who should have a list. The count applies only those
/// rules of the ranking that depend on the rows of users and candidates alone: the conditions on users, the
/// exclusion of own candidates, and the exclusions by flags and conditions.
///
/// The numbers are too high if interactions, friendships, requests, wishes, or conditions on computed numbers
/// exclude candidates. The count uses the radius of the ranking, even if users or candidates have their own
/// radii.
///
/// Positions are centers of cells, so all users of a cell have the same candidates in reach. Each cell with
/// users is compared once with the cells of candidates near the circle around its center. If the number of
/// cells with users times the number of cells with candidates exceeds `exactLimit`, the report uses an evenly
/// spaced sample of users.
///
/// - Complexity: O(u + c + p) for u users, c candidates and p pairs of cells. A pair consists of a cell with
///   sampled users and a cell with candidates near the circle around the first cell. p is at most the larger
///   of `exactLimit` and `sampledLimit`, unless 100 users have more pairs.
struct CandidatesInReach {
  /// The maximum number of pairs of cells for which the report covers all users.
  static let exactLimit = 20_000_000
  /// The approximate number of pairs to compare for a sample of users.
  static let sampledLimit = 100_000_000
  /// The minimum and maximum number of sampled users.
  static let sampleSizes = 100...1000

  private let radius: Double
  private let reach: Reach
  private let eligibility: Eligibility
  private let candidates: Positions
  /// One eligible candidate of each cell that contains eligible candidates.
  private let cells: SpatialIndex
  /// By index in `cells`, the number of eligible candidates in the cell.
  private let counts: [Int]

  /// Counts the candidates in reach of the users of `ranking`.
  ///
  /// - Parameters:
  ///   - ranking: The ranking.
  ///   - pipeline: The pipeline file that defines it.
  ///   - snapshot: The readable entities among `Pipeline.entitiesWithRadius`.
  ///   - exactLimit: The maximum number of pairs of cells without sampling. Tests pass a smaller number.
  /// - Returns: The report; `nil` if the ranking has no radius, or its users or candidates could not be read.
  static func report(
    on ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot, exactLimit: Int = exactLimit
  ) -> DataReport.Reach? {
    guard let radius = ranking.radiusInKilometers, let users = snapshot.entities[ranking.users],
      let candidates = snapshot.entities[ranking.candidates]
    else { return nil }
    let ranking = ranking.decidedByExports(of: pipeline)
    let search = CandidatesInReach(
      eligibility: Eligibility(ranking, pipeline, snapshot), candidates: Positions(candidates),
      reach: Reach(ranking, users: users, candidates: candidates), radius: radius)
    let own = ranking.exclusions.contains(.oneself) ? OwnCandidates(ranking, pipeline, snapshot) : nil
    let audience = Audience(ranking, users, asOf: snapshot.manifest.asOf)
    let listed = (0..<users.count).filter(audience.contains)
    let places = Positions(users)
    let positioned = listed.filter { places[$0] != nil }

    var known: [Coordinate: Int] = [:]
    let counts = search.sample(of: positioned, at: places, exactLimit: exactLimit).compactMap {
      user -> Int? in
      guard let position = places[user] else { return nil }
      let inCircle = known[position] ?? search.count(around: position)
      known[position] = inCircle
      return inCircle - search.count(own, of: user, around: position)
    }.sorted()
    return DataReport.Reach(
      ranking: ranking.name, kilometers: radius, users: positioned.count,
      withoutPosition: listed.count - positioned.count, sampled: counts.count,
      withNone: counts.count { $0 == 0 },
      tenthPercentile: counts.quantile(10) ?? 0, median: counts.median ?? 0,
      ninetiethPercentile: counts.quantile(90) ?? 0)
  }

  private init(eligibility: Eligibility, candidates: Positions, reach: Reach, radius: Double) {
    self.radius = radius
    self.reach = reach
    self.eligibility = eligibility
    self.candidates = candidates
    var found: [Coordinate: (row: UInt32, count: Int)] = [:]
    for row in 0..<candidates.count where eligibility.flag(of: row) == nil {
      if let position = candidates[row] { found[position, default: (UInt32(row), 0)].count += 1 }
    }
    let cells = found.map { center, cell in
      (code: Geohash(center, precision: 12).bits, row: cell.row, count: cell.count)
    }.sorted { $0.code < $1.code }
    self.cells = SpatialIndex(rows: cells.map(\.row), codes: cells.map(\.code))
    counts = cells.map(\.count)
  }

  /// Returns all rows in `users`, or an evenly spaced sample of these rows.
  private func sample(of users: [Int], at places: Positions, exactLimit: Int) -> [Int] {
    let userCells = Set(users.compactMap { places[$0] }).count
    let (pairs, overflow) = userCells.multipliedReportingOverflow(by: max(counts.count, 1))
    guard overflow || pairs > exactLimit else { return users }
    let size = min(
      max(Self.sampledLimit / max(counts.count, 1), Self.sampleSizes.lowerBound),
      Self.sampleSizes.upperBound)
    return size < users.count ? Self.middles(size, of: users) : users
  }

  /// Returns the middle row of each of `size` equal parts of `rows`. `size` must not exceed the number of
  /// rows.
  static func middles(_ size: Int, of rows: [Int]) -> [Int] {
    (0..<size).map { rows[((2 * $0 + 1) * rows.count) / (2 * size)] }
  }

  /// Returns the number of eligible candidates in reach of `center`.
  private func count(around center: Coordinate) -> Int {
    let origin = DistanceOrigin(center)
    var count = 0
    for range in cells.candidateRanges(around: center, radiusInKilometers: radius) {
      for place in range where isInReach(Int(cells.rows[place]), of: origin) { count += counts[place] }
    }
    return count
  }

  /// Returns the number of own candidates of the user in row `user` that are eligible and in reach of
  /// `center`.
  private func count(_ own: OwnCandidates?, of user: Int, around center: Coordinate) -> Int {
    guard let own else { return 0 }
    var rows: Set<UInt32> = []
    own.forEach(of: user) { rows.insert($0) }
    let origin = DistanceOrigin(center)
    return rows.count { row in
      eligibility.flag(of: Int(row)) == nil && isInReach(Int(row), of: origin)
    }
  }

  private func isInReach(_ candidate: Int, of origin: DistanceOrigin) -> Bool {
    reach.contains(
      candidate, distance: candidates.distanceInKilometers(from: origin, to: candidate), radius: radius)
  }
}

extension Pipeline {
  /// The entities that the report on candidates in reach needs: users and candidates of rankings with a
  /// radius, and the owners of these users and candidates.
  var entitiesWithRadius: Set<String> {
    let ranked = rankings.filter { $0.radiusInKilometers != nil }.flatMap { [$0.users, $0.candidates] }
    return Set(ranked + ranked.compactMap { entity($0)?.owner?.entity })
  }
}

extension Pipeline.Ranking {
  /// Returns the ranking with only those rules that depend on the rows of users and candidates alone, and
  /// with one radius for all users. Rules about interactions, friends, requests, wishes and computed numbers
  /// are removed.
  fileprivate func decidedByExports(of pipeline: Pipeline) -> Pipeline.Ranking {
    func isComputed(_ condition: Pipeline.Condition, of entity: String) -> Bool {
      guard case .within(let name, _) = condition else { return false }
      return pipeline.entity(entity)?.computedAttribute(name) != nil
    }
    var ranking = self
    (ranking.radiusAttribute, ranking.candidateRadiusAttribute) = (nil, nil)
    ranking.audience.removeAll { isComputed($0, of: users) }
    ranking.exclusions.removeAll { exclusion in
      switch exclusion {
      case .oneself, .flagged, .notFlagged: false
      case .unless(let condition): isComputed(condition, of: candidates)
      case .interacted, .vetoed, .friends, .unwished, .unasked: true
      }
    }
    return ranking
  }
}
