internal import Columns
internal import Concurrency
package import Discovery
package import Features
package import Files
internal import Geohash
internal import Index
package import PipelineFile
package import RunSchemas
package import Search
internal import Text

/// Finds the candidates to show to a user, for one ranking, one snapshot and one order of candidates.
///
/// Both the rank stage and the evaluation use this type.
package struct Recommender: Sendable {
  /// The method of searching for the lists. All methods find the same lists.
  package enum Method: String, CaseIterable, Sendable {
    /// The best method for the number of candidates.
    case auto
    /// A scan of every candidate in reach.
    case scan
    /// A branch-and-bound search through blocks of candidates, most promising first.
    case block
  }

  enum Search: Sendable {
    case scan(ScanSearch)
    case block(BlockSearch)
    case newest(NewestSearch)

    /// The method's name in the manifest.
    var name: String {
      switch self {
      case .scan: Method.scan.rawValue
      case .block: Method.block.rawValue
      case .newest: "newest"
      }
    }
  }

  package let ranking: Pipeline.Ranking
  package let userCount: Int
  package let candidateCount: Int

  let people: RankedPeople
  let rules: RankingRules
  /// The users with lists. A search also accepts users outside the audience.
  let audience: Audience
  let search: Search
  /// The words that have a list each; `nil` for a single list.
  let words: CandidateWords?
  /// The learned models; `nil` for an order without models.
  let model: (space: FeatureSpace, table: ModelTable)?
  /// The discovery scores; `nil` for an order other than `discovery`.
  private let discovery: DiscoveryScores?
  /// The chances that both sides like each other; `nil` for an order other than `mutual`.
  private let mutual: MutualScores?
  var isMutual: Bool { mutual != nil }
  /// The users in the order of their cells. Users without a position are missing. `nil` if the index does not
  /// contain the users.
  private let cellOrder: [UInt32]?
  /// The index of the users; `nil` if it does not contain them.
  let userIndex: SpatialIndex?

  /// Prepares the search for the lists of `ranking` in `snapshot`.
  ///
  /// The pipeline file is already checked, so the program traps if an entity is missing.
  ///
  /// - Parameters:
  ///   - ranking: The ranking, with its users, candidates and rules.
  ///   - pipeline: The pipeline file that defines the ranking.
  ///   - snapshot: The snapshot with the entities and interactions.
  ///   - run: The directory with the `index` of the snapshot.
  ///   - scoring: The order of candidates.
  ///   - method: The method of searching for the lists.
  ///   - threads: The number of threads that prepare the search; the lists do not depend on it.
  /// - Throws: `FileError` if a file cannot be read, or if the columns of the models differ from the columns
  ///   of the feature space.
  package init(
    _ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot, run: String, scoring: Scoring,
    method: Method = .auto, threads: Int = 1
  ) throws(FileError) {
    guard let users = snapshot.entities[ranking.users], let candidates = snapshot.entities[ranking.candidates]
    else {
      preconditionFailure("the snapshot does not contain the entities that '\(ranking.name)' ranks")
    }
    self.ranking = ranking
    userCount = users.count
    audience = Audience(ranking, users, asOf: snapshot.manifest.asOf)
    candidateCount = candidates.count
    let rules = RankingRules(ranking, pipeline, snapshot, users: users, candidates: candidates)
    self.rules = rules
    let (positions, hashes) = (Positions(candidates), candidates.ids.idHashes)
    let isAmongThemselves = ranking.users == ranking.candidates
    people = RankedPeople(
      ranking: ranking, users: isAmongThemselves ? positions : Positions(users), candidates: positions,
      userHashes: isAmongThemselves ? hashes : users.ids.idHashes, candidateHashes: hashes,
      seed: pipeline.seed)
    model = try scoring.models.map { (models) throws(FileError) in
      (models.space, try ModelTable(models.directory, columns: models.space.columns, users: users.count))
    }
    if case .discovery(let scores) = scoring { discovery = scores } else { discovery = nil }
    if case .mutual(let order, _, _, let decisions) = scoring, let model {
      mutual = MutualScores(order, model, decisions: decisions, threads: threads)
    } else {
      mutual = nil
    }
    let index = try Self.index(of: ranking.candidates, candidates, in: run)
    userIndex = isAmongThemselves ? index : try Self.index(of: ranking.users, users, in: run)
    cellOrder = userIndex?.rows
    words = CandidateWords(ranking, candidates, users: users)
    if case .keys([.newest], _) = scoring, rules.isPlain, words == nil {
      guard let created = candidates.created else {
        preconditionFailure("the snapshot does not contain the creation times of '\(ranking.candidates)'")
      }
      let reachable = ranking.radiusInKilometers == nil ? nil : index
      search = .newest(
        NewestSearch(
          people, rules.eligibility, index: reachable, created: created.elements, scans: method == .scan))
      return
    }
    var keys: CandidateKeys?
    if case .keys(let order, _) = scoring { keys = CandidateKeys(order, of: candidates) }
    // The block search supports models, one radius for all users, and at most one list per candidate. It does
    // not support sort keys, discovery scores, the mutual order, wishes, `pending` or `among`. Rankings with
    // any of these use the scan.
    let suited =
      method == .auto ? Self.suitedMethod(candidates: candidates.count, lists: words?.count ?? 1) : method
    let isPlain = rules.isPlain && keys == nil && discovery == nil && mutual == nil
    switch isPlain && words?.isOneEach ?? true ? suited : .scan {
    case .scan:
      search = .scan(
        ScanSearch(people, rules, index: index, space: model?.space, keys: keys, words: words))
    case .block, .auto:
      search = .block(
        BlockSearch(
          people, flags: rules.eligibility.flags, models: model, groups: words?.groups, threads: threads))
    }
  }

  /// Reads the spatial index of `entity`; `nil` for an entity without positions.
  private static func index(
    of entity: String, _ table: EntityTable, in run: String
  ) throws(FileError) -> SpatialIndex? {
    table.latitude == nil ? nil : try SpatialIndex(run + "/index", entity: entity, count: table.count)
  }

  /// The maximum number of candidates for which a tree is not faster than a scan: two blocks.
  private static let scanned = 2 * SearchedCandidates.blockSize

  /// Returns the best method for `lists` lists per user: a scan for few candidates per list, else a block
  /// search.
  ///
  /// The number of candidates in reach does not matter. Finding the cells around one user takes longer
  /// than a block search with few candidates in reach.
  private static func suitedMethod(candidates: Int, lists: Int) -> Method {
    candidates <= scanned * lists ? .scan : .block
  }

  /// Finds the list of the user at row `user`, its shortfall, and the counts of candidates that each rule
  /// removes.
  ///
  /// For many users, use `search(user:isCounting:using:)` with the same workspace for each search.
  package func search(user: Int) -> SearchResult {
    var workspace = SearchWorkspace()
    return search(user: user, using: &workspace)
  }

  /// Finds the list of the user at row `user` with the buffers of `workspace`. For a ranking with a list per
  /// word, use `searchLists`.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - isCounting: Whether to count the candidates that each rule removes. If not, full lists may have no
  ///     counts.
  ///   - workspace: The buffers of the search.
  /// - Returns: The list and the counts.
  package func search(
    user: Int, isCounting: Bool = true, using workspace: inout SearchWorkspace
  ) -> SearchResult {
    precondition(words == nil, "the ranking '\(ranking.name)' has one list per word, so use searchLists")
    return searchLists(user: user, isCounting: isCounting, using: &workspace).lists[0]
  }

  /// Finds all lists of the user at row `user`. The parameters are the same as in `search`.
  package func searchLists(
    user: Int, isCounting: Bool = true, using workspace: inout SearchWorkspace
  ) -> UserLists {
    let top = ranking.top
    switch search {
    case .scan(let search): return search.search(user, scorer: scorer(of: user), top: top)
    case .block(let search):
      rules.eligibility.write(user, to: &workspace.exclusions)
      return search.search(user, top: top, isCounting: isCounting, &workspace)
    case .newest(let search):
      return UserLists(
        [search.search(user, top: top, isCounting: isCounting)], exclusions: ranking.exclusions.count)
    }
  }

  /// Prepares `workspace.score` for `forEachReasons`, for the user at row `user`.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - workspace: The buffers of the search.
  ///   - isSearched: Whether this user is the user of the last search.
  /// - Returns: Whether the list can have reasons. If not, do not call `forEachReasons`.
  func prepareReasons(_ user: Int, _ workspace: inout SearchWorkspace, isSearched: Bool = true) -> Bool {
    guard let model else { return false }
    switch search {
    // A block search of this user has already prepared the score.
    case .block(let search):
      if !isSearched { search.prepareScore(of: user, &workspace) }
      return true
    case .newest: return false
    case .scan(let search):
      guard model.table.read(user, into: &workspace.model) else { return false }
      workspace.score.prepare(workspace.model, user: user, for: search.everybody, farthest: .infinity)
      return true
    }
  }

  /// Calls `body` with the reasons for each recommendation of one list, best first. Call `prepareReasons`
  /// first.
  ///
  /// - Parameters:
  ///   - list: The list.
  ///   - workspace: The workspace of the search.
  ///   - published: A buffer for the reasons.
  ///   - body: Called with the reasons of each recommendation.
  func forEachReasons(
    of list: [Recommendation], _ workspace: borrowing SearchWorkspace, _ published: inout [Contribution],
    _ body: ([Contribution]) -> Void
  ) {
    switch search {
    case .block(let search): search.forEachReasons(of: list, workspace.score, &published, body)
    case .newest: preconditionFailure("lists in the order 'newest' have no reasons")
    case .scan(let search):
      for found in list {
        workspace.score.writeReasons(
          search.everybody, place: found.candidate, distance: found.distance, to: &published)
        body(published)
      }
    }
  }

  /// Finds the lists of all users, one element per row, without the ranking's limits on exposure.
  ///
  /// Users are searched in the order of their cells. Users near each other have similar candidates in reach,
  /// so the data of these candidates stay in the caches.
  ///
  /// - Parameter threads: The number of threads; the lists do not depend on it.
  /// - Returns: One result per user.
  package func searchAll(threads: Int) -> [SearchResult] {
    precondition(words == nil, "the ranking '\(ranking.name)' has one list per word, not one per user")
    let order = usersByCell()
    var places = [Int](repeating: 0, count: userCount)
    for (place, row) in order.enumerated() { places[Int(row)] = place }
    let chunks = parallelMap(count: userCount, chunkSize: 256, threads: threads) { chunk in
      var workspace = SearchWorkspace()
      var results: [SearchResult] = []
      results.reserveCapacity(chunk.count)
      for place in chunk { results.append(search(user: Int(order[place]), using: &workspace)) }
      return results
    }
    return places.map { chunks[$0 / 256][$0 % 256] }
  }

  /// Returns the rows of all users in the order of their cells, so that neighbors are adjacent. Users without
  /// a position come last.
  func usersByCell() -> [UInt32] {
    guard let cellOrder else { return Array(0..<UInt32(userCount)) }
    var isPositioned = [Bool](repeating: false, count: userCount)
    for row in cellOrder { isPositioned[Int(row)] = true }
    return cellOrder + (0..<UInt32(userCount)).filter { !isPositioned[Int($0)] }
  }

  /// Returns the view of `user`, which contains all data that do not depend on the candidate. Use it to score
  /// or check many candidates for one user.
  package func view(of user: Int) -> UserView {
    UserView(
      ranking: ranking, scorer: scorer(of: user), origin: people.users[user].map(DistanceOrigin.init),
      candidates: people.candidates, eligibility: rules.eligibility.of(user: user), reach: rules.reach,
      radius: rules.reach.radius(ofUser: user))
  }

  /// Returns the score and the distance of `candidate` for `user`, even if the candidate is out of reach or
  /// excluded.
  ///
  /// - Returns: The predicted score, `nil` for a user without a model; the distance in kilometers, NaN if a
  ///   position is unknown.
  package func score(user: Int, candidate: Int) -> (score: Double?, distance: Double) {
    view(of: user).score(candidate: candidate)
  }

  /// Returns whether `candidate` may be on a list. A flag or condition must not exclude it, and it needs a
  /// position if the ranking has a radius.
  package func isListable(candidate: Int) -> Bool {
    rules.eligibility.flag(of: candidate) == nil
      && (ranking.radiusInKilometers == nil || people.candidates[candidate] != nil)
  }

  /// Returns whether `candidate` may be on the list of `user`: in reach and not excluded. The minimum score
  /// is not checked.
  package func isEligible(user: Int, candidate: Int) -> Bool {
    view(of: user).isEligible(candidate: candidate)
  }

  /// Returns the score that a list shows for a candidate with the score `score`; `nil` in an order whose
  /// lists have no scores.
  func publishedScore(_ score: Double?) -> Double? {
    if case .newest = search { return nil }
    return isMutual ? nil : score
  }

  func scorer(of user: Int) -> PairScorer? {
    if let discovery { return .discovery(discovery.ofUser(user)) }
    if let mutual { return mutual.ofUser(user).map(PairScorer.mutual) }
    return model.flatMap { model in
      model.table[user].map { .model(Scorer($0, of: user, in: model.space)) }
    }
  }
}
