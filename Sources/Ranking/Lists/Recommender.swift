internal import Columns
internal import Concurrency
package import Features
package import Files
internal import Geohash
internal import Index
package import PipelineFile
package import RunSchemas
package import Search

/// One ranking, bound to a snapshot and to its order: finds the candidates to show to a user.
///
/// The lists of a night and of an evaluation both come from here.
package struct Recommender: Sendable {
  /// What candidates are ordered by.
  package enum Scoring: Sendable {
    /// Nearest first, without scores.
    case distance
    /// Predictions of the models that fit wrote to the directory, learned on the columns of the space. A user without
    /// a model gets the nearest first.
    case models(in: String, FeatureSpace)
    /// By several keys; predictions where they are among these.
    indirect case keys([Pipeline.OrderKey], Scoring)
  }

  /// How lists are searched: all give the same.
  package enum Method: String, CaseIterable, Sendable {
    /// Whichever of the others suits how many candidates there are.
    case auto
    /// Visits every candidate in reach.
    case scan
    /// Through blocks, from the most promising one on.
    case block
  }

  enum Search: Sendable {
    case scan(ScanSearch)
    case block(BlockSearch)
    case newest(NewestSearch)

    /// As the manifest has it.
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
  /// Candidates that no flag excludes from every list.
  package let unflaggedCandidateCount: Int

  let people: RankedPeople
  let rules: RankingRules
  /// Who has a list; a search gives one to whomever it is asked for.
  let audience: Audience
  let search: Search
  /// A list is made for each; `nil` is one list.
  let words: CandidateWords?
  /// What scores are predicted by; `nil` for the order by distance.
  let model: (space: FeatureSpace, table: ModelTable)?
  /// Users with a position in the order of their cells; `nil` if the index does not contain them.
  private let cellOrder: [UInt32]?

  /// Binds `ranking` to `snapshot`.
  ///
  /// The pipeline file was checked: an entity that is missing here is a bug.
  ///
  /// - Parameters:
  ///   - ranking: The ranking: its users, candidates and rules.
  ///   - pipeline: The pipeline file that defines it.
  ///   - snapshot: The snapshot with the entities and interactions.
  ///   - run: The directory with the `index` of the snapshot.
  ///   - scoring: The order of candidates.
  ///   - method: How lists are searched.
  ///   - threads: Workers that prepare the search; the result does not depend on it.
  /// - Throws: `FileError`, also if the models have other columns than the feature space.
  package init(
    _ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot, run: String, scoring: Scoring,
    method: Method = .auto, threads: Int = 1
  ) throws(FileError) {
    guard let users = snapshot.entities[ranking.users], let candidates = snapshot.entities[ranking.candidates]
    else {
      preconditionFailure("the snapshot does not hold what '\(ranking.name)' ranks")
    }
    self.ranking = ranking
    userCount = users.count
    audience = Audience(ranking, users, asOf: snapshot.manifest.asOf)
    candidateCount = candidates.count
    let rules = RankingRules(ranking, pipeline, snapshot, users: users, candidates: candidates)
    self.rules = rules
    unflaggedCandidateCount = (0..<candidates.count).count { rules.eligibility.flag(of: $0) == nil }
    let (positions, hashes) = (Positions(candidates), candidates.ids.idHashes)
    let isAmongThemselves = ranking.users == ranking.candidates
    people = RankedPeople(
      ranking: ranking, users: isAmongThemselves ? positions : Positions(users), candidates: positions,
      userHashes: isAmongThemselves ? hashes : users.ids.idHashes, candidateHashes: hashes,
      seed: pipeline.seed)
    model = try scoring.models.map { (models) throws(FileError) in
      (models.space, try ModelTable(models.directory, columns: models.space.columns))
    }
    let index: SpatialIndex? =
      candidates.latitude == nil ? nil : try SpatialIndex(run + "/index", entity: ranking.candidates)
    cellOrder =
      isAmongThemselves
      ? index?.rows
      : users.latitude == nil ? nil : try SpatialIndex(run + "/index", entity: ranking.users).rows
    words = CandidateWords(ranking, candidates, users: users)
    if case .keys([.newest], _) = scoring, rules.isPlain, words == nil {
      guard let created = candidates.created else {
        preconditionFailure("a checked pipeline says when '\(ranking.candidates)' are created")
      }
      let reachable = ranking.radiusInKilometers == nil ? nil : index
      search = .newest(
        NewestSearch(
          people, rules.eligibility, index: reachable, created: created.elements, scans: method == .scan))
      return
    }
    var keys: CandidateKeys?
    if case .keys(let order, _) = scoring { keys = CandidateKeys(order, of: candidates) }
    // The block search supports one order, one radius and one list per candidate, and neither wishes nor chosen candidates. Other
    // rankings visit candidates one by one.
    let suited =
      method == .auto ? Self.suitedMethod(candidates: candidates.count, lists: words?.count ?? 1) : method
    switch rules.isPlain && keys == nil && words?.isOneEach ?? true ? suited : .scan {
    case .scan:
      search = .scan(
        ScanSearch(people, rules, index: index, space: model?.space, keys: keys, words: words))
    case .block, .auto:
      search = .block(
        BlockSearch(
          people, flags: rules.eligibility.flags, models: model, groups: words?.groups, threads: threads))
    }
  }

  /// Up to two blocks of candidates nothing is gained by a tree.
  private static let scanned = 2 * SearchedCandidates.blockSize

  /// The best method for `lists` per user, by the number of candidates per list: a scan for a few, else a block search.
  ///
  /// The number in reach does not matter. Finding the cells around one user (some 90 µs) takes longer than a block search with
  /// few candidates in reach (some 10 µs, 20 000 users within 1.5 km).
  private static func suitedMethod(candidates: Int, lists: Int) -> Method {
    candidates <= scanned * lists ? .scan : .block
  }

  /// The list of the user at row `user`, why it is short, and who was lost where.
  ///
  /// For many users keep a workspace.
  package func search(user: Int) -> SearchResult {
    var workspace = SearchWorkspace()
    return search(user: user, using: &workspace)
  }

  /// The list of the user at row `user`, computed in the buffers of `workspace`. For a ranking with a list per word, use
  /// `searchLists`.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - isCounting: Whether to count the candidates lost at each rule; if not, full lists may have no counts.
  ///   - workspace: Buffers.
  /// - Returns: The list and the counts.
  package func search(
    user: Int, isCounting: Bool = true, using workspace: inout SearchWorkspace
  ) -> SearchResult {
    precondition(words == nil, "'\(ranking.name)' makes a list for each word")
    return searchLists(user: user, isCounting: isCounting, using: &workspace).lists[0]
  }

  /// All lists of the user at row `user`; parameters as of `search`.
  package func searchLists(
    user: Int, isCounting: Bool = true, using workspace: inout SearchWorkspace
  ) -> UserLists {
    switch search {
    case .scan(let search): return search.search(user, scorer: scorer(of: user))
    case .block(let search):
      rules.eligibility.write(user, to: &workspace.exclusions)
      return search.search(user, isCounting: isCounting, &workspace)
    case .newest(let search):
      return UserLists([search.search(user, isCounting: isCounting)], exclusions: ranking.exclusions.count)
    }
  }

  /// Makes `workspace.score` ready for `forEachReasons`, for the user at row `user`, which must be the user of the last search.
  ///
  /// - Returns: Whether there is a model.
  func prepareReasons(_ user: Int, _ workspace: inout SearchWorkspace) -> Bool {
    guard let model else { return false }
    switch search {
    // The search has laid it out.
    case .block: return true
    case .newest: return false
    case .scan(let search):
      guard model.table.read(user, into: &workspace.model) else { return false }
      workspace.score.prepare(workspace.model, user: user, for: search.everybody, farthest: .infinity)
      return true
    }
  }

  /// Calls `body` with the reasons for each recommendation of one list, best first, after `prepareReasons`.
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
    case .newest: preconditionFailure("lists of the newest have no reasons")
    case .scan(let search):
      for found in list {
        workspace.score.writeReasons(
          search.everybody, place: found.candidate, distance: found.distance, to: &published)
        body(published)
      }
    }
  }

  /// The lists of all users, by row.
  ///
  /// Users are searched in the order of their cells. Neighbors see the same candidates, which are then in the caches, and users
  /// in one cell have the same candidates in reach.
  ///
  /// - Parameter threads: Workers over users; the lists do not depend on it.
  /// - Returns: One result per user.
  package func searchAll(threads: Int) -> [SearchResult] {
    let order = usersByCell()
    let chunks = parallelMap(count: userCount, chunkSize: 256, threads: threads) { chunk in
      var workspace = SearchWorkspace()
      var results: [SearchResult] = []
      results.reserveCapacity(chunk.count)
      for place in chunk { results.append(search(user: Int(order[place]), using: &workspace)) }
      return results
    }
    var places = [Int](repeating: 0, count: userCount)
    for (place, row) in order.enumerated() { places[Int(row)] = place }
    return places.map { chunks[$0 / 256][$0 % 256] }
  }

  /// All rows of users, neighbors beside each other; those without a position last.
  func usersByCell() -> [UInt32] {
    guard let cellOrder else { return Array(0..<UInt32(userCount)) }
    var isPositioned = [Bool](repeating: false, count: userCount)
    for row in cellOrder { isPositioned[Int(row)] = true }
    return cellOrder + (0..<UInt32(userCount)).filter { !isPositioned[Int($0)] }
  }

  /// Everything about `user` that does not depend on the candidate: for many questions about one user.
  package func view(of user: Int) -> UserView {
    UserView(
      ranking: ranking, scorer: scorer(of: user), origin: people.users[user].map(DistanceOrigin.init),
      candidates: people.candidates, eligibility: rules.eligibility.of(user: user), reach: rules.reach,
      radius: rules.reach.radius(ofUser: user))
  }

  /// What `candidate` is to `user`, in reach and eligible or not.
  ///
  /// - Returns: The predicted score, `nil` for a user without a model; kilometers, NaN where a position is unknown.
  package func score(user: Int, candidate: Int) -> (score: Double?, distance: Double) {
    view(of: user).score(candidate: candidate)
  }

  /// Whether `candidate` may be on any list: it has no excluding flag or condition, and has a position if the ranking needs one.
  package func isListable(candidate: Int) -> Bool {
    rules.eligibility.flag(of: candidate) == nil
      && (ranking.radiusInKilometers == nil || people.candidates[candidate] != nil)
  }

  /// Whether `candidate` may be on the list of `user`: it is in reach and not excluded. The minimum score is not checked.
  package func isEligible(user: Int, candidate: Int) -> Bool {
    view(of: user).isEligible(candidate: candidate)
  }

  private func scorer(of user: Int) -> Scorer? {
    model.flatMap { model in model.table[user].map { Scorer($0, of: user, in: model.space) } }
  }
}

extension Recommender.Scoring {
  /// What the pipeline file says of `ranking`, with the models of `run`.
  package init(
    _ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot, run: String
  ) {
    var scoring = Recommender.Scoring.distance
    if let model = pipeline.model(of: ranking) {
      scoring = .models(in: model.directory(in: run + "/models"), FeatureSpace(model, pipeline, snapshot))
    }
    switch ranking.order {
    case .score, .distance: self = scoring
    case .newest: self = .keys([.newest], scoring)
    case .keys(let keys): self = .keys(keys, scoring)
    }
  }

  /// What scores are predicted by; `nil` where there are none.
  fileprivate var models: (directory: String, space: FeatureSpace)? {
    switch self {
    case .distance: nil
    case .models(let directory, let space): (directory, space)
    case .keys(_, let scoring): scoring.models
    }
  }
}
