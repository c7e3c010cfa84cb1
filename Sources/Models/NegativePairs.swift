internal import Columns
internal import Concurrency
internal import Features
internal import Files
internal import Geohash
internal import Index
internal import PipelineFile
internal import RunSchemas

/// Draws pairs of a user and a candidate that have no interaction and are within the radius. If interactions
/// record only likes, a model learns from these pairs as negatives.
///
/// The hash of a pair depends only on its two ids and the seed. For a user with n likes within the radius,
/// the n × `perPositive` pairs with the smallest hashes are drawn, or all pairs if fewer exist.
struct NegativePairs {
  private let perPositive: Int
  /// The radius in kilometers; `nil` if there is none.
  private let radius: Double?
  private let table: InteractionTable
  private let users: (positions: Positions, hashes: [UInt64], radii: [Double]?)
  private let candidates: (positions: Positions, hashes: [UInt64])
  /// The spatial index of the candidates; `nil` if the negatives have no radius.
  private let index: SpatialIndex?
  private let isOneKind: Bool
  private let seed: UInt64

  init(
    _ negatives: Pipeline.Negatives, within reach: Pipeline.Reach?, of kind: Pipeline.Interaction,
    _ pipeline: Pipeline, _ snapshot: Snapshot, run: String
  ) throws(FileError) {
    guard let users = snapshot.entities[kind.user.entity],
      let candidates = snapshot.entities[kind.candidate.entity], let table = snapshot.interactions[kind.name]
    else { preconditionFailure("the snapshot does not contain the model's interactions") }
    perPositive = negatives.perPositive
    radius = reach?.kilometers
    self.table = table
    let radii = reach?.attribute.flatMap { users.number($0)?.elements }
    self.users = (Positions(users), users.ids.hashes, radii)
    self.candidates = (Positions(candidates), candidates.ids.hashes)
    index =
      radius == nil
      ? nil
      : try SpatialIndex(
        run + "/index", entity: kind.candidate.entity, count: candidates.count)
    isOneKind = kind.user.entity == kind.candidate.entity
    // The seed is mixed once more. Otherwise, the hashes would equal the hashes that break ties in lists,
    // because both depend on the two ids and the pipeline's seed.
    seed = Mix64.finalized(pipeline.seed)
  }

  /// Returns, for each user, the row numbers of the drawn candidates, ascending.
  func all(threads: Int) -> [[UInt32]] {
    parallelMap(count: table.userOffsets.count - 1, chunkSize: 256, threads: threads) { chunk in
      chunk.map(pairs)
    }.flatMap { $0 }
  }

  private func pairs(of user: Int) -> [UInt32] {
    let (column, values) = (table.candidate.span, table.value.span)
    var met: Set<UInt32> = isOneKind ? [UInt32(user)] : []
    var liked = 0
    let reach = reach(of: user)
    for row in table.range(ofUser: user) {
      met.insert(column[row])
      if values[row] >= table.likedFrom, reach.contains(column[row]) { liked += 1 }
    }
    guard liked > 0 else { return [] }
    var drawn: [(mix: UInt64, candidate: UInt32)] = []
    forEachInReach(of: user) { candidate in
      guard !met.contains(candidate) else { return }
      let mix = Mix64.pair(users.hashes[user], candidates.hashes[Int(candidate)], seed: seed)
      drawn.append((mix, candidate))
    }
    drawn.sort { ($0.mix, $0.candidate) < ($1.mix, $1.candidate) }
    return drawn.prefix(liked * perPositive).map(\.candidate).sorted()
  }

  /// The candidates within the radius of one user. Without a radius, these are all candidates. With a radius,
  /// the user and the candidate need positions.
  struct UserReach {
    fileprivate let candidates: Positions
    /// The position of the user; `nil` if it is unknown.
    fileprivate let origin: DistanceOrigin?
    /// The radius in kilometers; `nil` if there is none.
    fileprivate let radius: Double?

    func contains(_ candidate: UInt32) -> Bool {
      guard let radius else { return true }
      return candidates.distanceInKilometers(from: origin, to: Int(candidate)) <= radius
    }
  }

  func reach(of user: Int) -> UserReach {
    UserReach(
      candidates: candidates.positions, origin: users.positions[user].map { DistanceOrigin($0) },
      radius: ownRadius(of: user))
  }

  /// Returns the radius of `user` in kilometers; `nil` if there is none.
  private func ownRadius(of user: Int) -> Double? {
    let own = users.radii?[user] ?? .nan
    return radius.map { own.isNaN ? $0 : own }
  }

  private func forEachInReach(of user: Int, _ body: (UInt32) -> Void) {
    guard let index, let radius = ownRadius(of: user) else {
      for candidate in 0..<UInt32(candidates.positions.count) { body(candidate) }
      return
    }
    guard let position = users.positions[user] else { return }
    let origin = DistanceOrigin(position)
    // A search needs a radius above 0, and every candidate is within half of the Earth's circumference.
    let searched = min(max(radius, 0.001), 20_038)
    for range in index.candidateRanges(around: position, radiusInKilometers: searched) {
      for place in range {
        let candidate = index.rows[place]
        let distance = candidates.positions.distanceInKilometers(from: origin, to: Int(candidate))
        if distance <= radius { body(candidate) }
      }
    }
  }
}

extension StringColumn {
  fileprivate var hashes: [UInt64] { (0..<count).map { Mix64.hash(bytes($0)) } }
}
