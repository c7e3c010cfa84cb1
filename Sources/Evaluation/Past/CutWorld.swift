internal import Columns
internal import Geohash
internal import PipelineFile
internal import Ranking
internal import RunSchemas

/// The data as of the cut, from which all methods learn, and the later decisions on which all methods are
/// tested.
struct CutWorld: Sendable {
  let pipeline: Pipeline
  /// The snapshot as of the cut.
  let snapshot: Snapshot
  /// The learning interactions of `kind`, as of the cut.
  let learning: InteractionTable
  let kind: Pipeline.Interaction
  let decisions: LaterDecisions
  let settings: Pipeline.Evaluation
  /// The cut time of each user in milliseconds since 1970, by row of the cut snapshot.
  let cutOfUser: [Int64]
  /// The pairs of users who matched after the cut; `nil` if users and candidates are different entities.
  let laterMatches: LaterMatches?

  var seed: UInt64 { pipeline.seed }

  var users: EntityTable { table(kind.user.entity) }
  var candidates: EntityTable { table(kind.candidate.entity) }

  private func table(_ name: String) -> EntityTable {
    guard let table = snapshot.entities[name] else { preconditionFailure("no entity '\(name)'") }
    return table
  }

  /// The number of users who had decided on each candidate as of the cut.
  var decidedOnBy: [Int] { usersOfCandidate { _ in true } }

  /// The number of users who had liked each candidate as of the cut.
  private var likesOfCandidate: [Int] {
    let value = learning.value.elements
    return usersOfCandidate { value[$0] >= learning.likedFrom }
  }

  /// Returns, for each candidate, the number of users with an interaction for which `counts` is true. The
  /// parameter of `counts` is the row of the interaction.
  private func usersOfCandidate(_ counts: (Int) -> Bool) -> [Int] {
    let (user, member) = (learning.user.elements, learning.byCandidate.elements)
    return (0..<candidates.count).map { candidate in
      var count = 0
      var last: UInt32?
      for place in learning.range(ofCandidate: candidate) where counts(Int(member[place])) {
        // The interactions of one user with the candidate are adjacent.
        let giver = user[Int(member[place])]
        if giver != last { count += 1 }
        last = giver
      }
      return count
    }
  }

  /// Returns the cluster number of each user; `nil` if neither a radius with positions nor `within` defines
  /// clusters. Users in one cluster share candidates.
  ///
  /// The users of a cluster have the same value in the first category of `within`. If the ranking has a
  /// radius, they are also in the same geohash cell, and each user without a position is a separate cluster.
  /// The precision of the cells is at most 7. It is the finest precision at which the largest diagonal of a
  /// cell is at least a fifth of the radius.
  func clusterOfUser(_ ranking: Pipeline.Ranking) -> [Int]? {
    let table = users
    var labels = GroupLabels(Array(settings.within.prefix(1)), of: table).group.map { String($0) }
    if let radius = ranking.radiusInKilometers, let latitudes = table.latitude?.elements,
      let longitudes = table.longitude?.elements
    {
      let precision = (1...7).last { Geohash.largestDiagonalInKilometers(atPrecision: $0) >= radius / 5 } ?? 1
      for row in labels.indices {
        let cell = Coordinate(latitude: latitudes[row], longitude: longitudes[row])
          .map { Geohash($0, precision: precision).description }
        labels[row] += " " + (cell ?? "alone \(row)")
      }
    } else if settings.within.isEmpty {
      return nil
    }
    var numbers: [String: Int] = [:]
    return labels.map { label in
      let next = numbers.count
      return numbers[label]
        ?? {
          numbers[label] = next
          return next
        }()
    }
  }

  /// Returns all slicings of the users. The parameter `inReach` contains the number of candidates in reach of
  /// each user.
  func slicings(inReach: [Int]) -> [Slicing] {
    let counts = (0..<users.count).map { learning.range(ofUser: $0).count }
    return [Slicing("learning_interactions", counts)] + [Slicing(inReach: inReach)].compactMap { $0 }
      + slicings(of: users, cuts: cutOfUser)
  }

  /// All slicings of the candidates. A candidate who is not a user has the age at the latest cut of all
  /// users.
  var candidateSlicings: [Slicing] {
    let cuts =
      kind.user.entity == kind.candidate.entity
      ? cutOfUser : Array(repeating: cutOfUser.max() ?? .min, count: candidates.count)
    return [Slicing("received_likes", likesOfCandidate)] + slicings(of: candidates, cuts: cuts)
  }

  /// Returns the slicings of the rows of `table` by category and by age at the cuts.
  private func slicings(of table: EntityTable, cuts: [Int64]) -> [Slicing] {
    var slicings: [Slicing] = []
    for name in settings.slices ?? table.categories.keys.sorted() {
      guard let column = table.categories[name] else { continue }
      // Without the setting `slices`, only categories with 2 to 24 values are used.
      guard settings.slices != nil || (2...Slicing.mostSlices).contains(column.vocabulary.count) else {
        continue
      }
      slicings.append(Slicing(name, column))
    }
    if let created = table.created?.elements, created.contains(where: { $0 != .min }) {
      slicings.append(Slicing(created: created, asOf: cuts))
    }
    return slicings
  }

  /// Returns the number of later likes of candidates who were eligible for the user as of the cut.
  func reachableLikes(_ recommender: Recommender) -> Int {
    (0..<decisions.userCount).reduce(0) { sum, user in
      let range = decisions.range(ofUser: user)
      guard !range.isEmpty else { return sum }
      let view = recommender.view(of: user)
      return sum
        + range.count { decisions.isLike[$0] && view.isEligible(candidate: Int(decisions.candidates[$0])) }
    }
  }
}
