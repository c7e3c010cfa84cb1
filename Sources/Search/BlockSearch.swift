package import Features
internal import Geohash
internal import PipelineFile
package import RunSchemas

/// Finds the best candidates of a user by branch and bound, and counts the candidates in reach without
/// visiting each of them. Lists and counts equal the results of a full scan, bit for bit.
///
/// The module `Search` finds the best or nearest candidates of a user, and must not depend on `Models` or
/// `Ranking`. It receives coefficients, positions and excluded candidates as input.
///
/// A ranking with a list for each word of a category is searched group by group. Each search visits only the
/// candidates with one word.
///
/// This type is a class because all threads share it. Copying a struct with many arrays would update their
/// reference counts for each user.
package final class BlockSearch: Sendable {
  private let people: RankedPeople
  /// The models of the users; `nil` if the ranking is by distance.
  private let table: ModelTable?
  private let groups: ListGroups?
  /// For each row, the index in the ranking's exclusions of the first flag or condition that excludes the
  /// candidate; -1 if none does.
  private let flags: [Int16]
  /// A single part, or one part for each group. With groups, an additional last part contains the candidates
  /// without a group, which are not on any list.
  private let parts: [BlockPart]
  private let chord: ChordRadius?
  /// The position of each candidate, by row; `nil` if unknown.
  private let vectors: [UnitVector?]
  /// For each row, the place of the candidate in its group's tree by score; `noRow` if the candidate is not
  /// in the tree.
  private let places: [UInt32]

  /// Builds the trees of all parts.
  ///
  /// - Parameters:
  ///   - people: Users and candidates.
  ///   - flags: For each row, the index in the ranking's exclusions of the first flag or condition that
  ///     excludes the candidate; -1 if none does. These exclusions apply to all users.
  ///   - models: The features and models behind the scores; `nil` if the ranking is by distance.
  ///   - groups: The groups, each with its own list; `nil` for a single list.
  ///   - threads: The number of workers that build the trees.
  package init(
    _ people: RankedPeople, flags: [Int16], models: (space: FeatureSpace, table: ModelTable)?,
    groups: ListGroups?, threads: Int
  ) {
    let (ranking, candidates) = (people.ranking, people.candidates)
    self.people = people
    self.groups = groups
    self.flags = flags
    table = models?.table
    chord = ranking.radiusInKilometers.map(ChordRadius.init)
    let grown = BlockPart.Dimensions(people, models: models, threads: threads)
    vectors = grown.vectors
    var members = [[UInt32]](repeating: [], count: groups.map { $0.count + 1 } ?? 1)
    for row in 0..<candidates.count { members[groups?.numbers[row] ?? 0].append(UInt32(row)) }
    var parts: [BlockPart] = []
    var places = [UInt32](repeating: SearchedCandidates.noRow, count: candidates.count)
    for rows in members {
      let part = BlockPart(people, rows, flags: flags, models: models, grown, threads: threads)
      for (place, row) in part.byScore.tree.tree.rows.enumerated() where row != SearchedCandidates.noRow {
        places[Int(row)] = UInt32(place)
      }
      parts.append(part)
    }
    self.parts = parts
    self.places = places
  }

  /// The search by score in the single list, or in the first group.
  var byScore: TreeSearch { parts[0].byScore }
  var byDistance: TreeSearch { parts[0].byDistance }

  /// Finds the lists of `user`: a single list, or one list for each group. They equal the lists of a scan.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - top: The greatest length of a list.
  ///   - isCounting: Whether to count the candidates that each rule removes. If not, full lists have no
  ///     counts.
  ///   - workspace: The buffers. `workspace.exclusions` must contain the user's exclusions.
  /// - Returns: The best candidates in order, the shortfall, and the counts by rule.
  package func search(
    _ user: Int, top: Int, isCounting: Bool, _ workspace: inout SearchWorkspace
  ) -> UserLists {
    let query = query(of: user, top: top, &workspace)
    let exclusions = people.ranking.exclusions.count
    guard people.ranking.radiusInKilometers == nil || query.origin != nil else {
      let lists = Array(repeating: SearchResult.withoutPosition(people.ranking), count: groups?.count ?? 1)
      return UserLists(lists, exclusions: exclusions)
    }
    guard let groups else {
      let list = search(parts[0], nil, query, isCounting: isCounting, &workspace)
      return UserLists([list], exclusions: exclusions)
    }
    var results: [SearchResult] = []
    results.reserveCapacity(groups.count)
    for group in 0..<groups.count {
      results.append(search(parts[group], group, query, isCounting: isCounting, &workspace))
    }
    // The sum of counts requires the counts of every list.
    guard results.allSatisfy({ $0.counts != nil }) else {
      return UserLists(results, exclusions: exclusions)
    }
    let (unlisted, _) = count(parts[groups.count], groups.count, query, &workspace)
    return UserLists(results, exclusions: exclusions, unlisted: unlisted)
  }

  /// Finds the best candidates in `part`. With groups, `part` is the part of `group`.
  private func search(
    _ part: BlockPart, _ group: Int?, _ empty: consuming BlockQuery, isCounting: Bool,
    _ workspace: inout SearchWorkspace
  ) -> SearchResult {
    var query = empty
    workspace.tree.nearby = LastDistance()
    let minimum = people.ranking.minimumScore
    let isEmpty = query.constantScore.map { !($0 > minimum) } ?? false
    if query.minimumScore != nil {
      part.byScore.findBest(&query, workspace.score, &workspace.tree)
    } else if !isEmpty {
      part.byDistance.findBest(&query, workspace.distanceOrder, &workspace.tree)
    }
    // Only the counts show why candidates are missing, so a list that is not full needs counts.
    guard isCounting || query.top.last == nil else {
      return SearchResult(best: query.top.best, shortfall: nil, counts: nil)
    }
    let (counts, interactedInReach) = count(part, group, query, &workspace)
    return SearchResult(
      best: query.top.best, counts: counts, interactedInReach: interactedInReach, ranking: people.ranking,
      top: query.top.capacity)
  }

  /// The value of a candidate for a user without a model.
  private var distanceValue: DistanceValue {
    DistanceValue(radiusInKilometers: people.ranking.radiusInKilometers)
  }

  /// Returns `prices`, which has one element per row, in the order of this search.
  package func arranged(_ prices: [Double]) -> SearchPrices {
    let unit = distanceValue.unit
    let hasUsersWithoutModel =
      table.map { table in
        (0..<table.count).contains { !table.hasModel($0) }
      } ?? true
    return SearchPrices(
      byScore: table == nil ? [] : parts.map { TreePrices(prices, of: $0.byScore.tree.tree) },
      byDistance: hasUsersWithoutModel
        ? parts.map { TreePrices(prices, of: $0.byDistance.tree.tree, unit: unit) } : [])
  }

  /// Finds, for each list of `user`, the `top` candidates with the greatest differences of value and price. The value
  /// is the score, or a `DistanceValue` for a user without a model.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - top: The greatest number of candidates per list.
  ///   - prices: The prices, from `arranged`.
  ///   - least: The difference of value and price that candidates must exceed, for each list; `nil` for no limit.
  ///   - workspace: The buffers. `workspace.exclusions` must contain the user's exclusions.
  /// - Returns: For each list, the rows of the candidates, best first.
  package func bestPriced(
    _ user: Int, top: Int, _ prices: SearchPrices, above least: [Double]?, _ workspace: inout SearchWorkspace
  ) -> [[Int]] {
    let lists = 0..<(groups?.count ?? 1)
    guard people.ranking.radiusInKilometers == nil || people.users[user] != nil else {
      return lists.map { _ in [] }
    }
    let isByScore = table?.read(user, into: &workspace.model) ?? false
    if isByScore {
      byScore.prepare(&workspace.score, workspace.model, of: user)
    } else {
      workspace.distanceOrder.prepareDistance(
        farthest: byDistance.radius, unknown: Float(DistanceValue.ofUnknown * distanceValue.unit))
    }
    return lists.map { list in
      var query = BlockQuery(
        user: user, position: people.users[user],
        slack: isByScore ? workspace.score.slack : workspace.distanceOrder.slack,
        order: isByScore ? .score(above: people.ranking.minimumScore) : .distance(score: nil),
        top: TopList(capacity: top, order: people.order(forUser: user)))
      let least = least?[list] ?? -.infinity
      workspace.tree.nearby = LastDistance()
      if isByScore {
        query.set(prices.byScore[list], above: least)
        parts[list].byScore.findBest(&query, workspace.score, &workspace.tree)
      } else {
        query.set(prices.byDistance[list], above: least, distanceValue)
        parts[list].byDistance.findBest(&query, workspace.distanceOrder, &workspace.tree)
      }
      return query.top.best.map(\.candidate)
    }
  }

  /// Calls `body` with the published reasons for each recommendation in `list`, best first. `score` computes
  /// the reasons, and `published` is the buffer.
  package func forEachReasons(
    of list: [Recommendation], _ score: borrowing UserScore, _ published: inout [Contribution],
    _ body: ([Contribution]) -> Void
  ) {
    // All candidates on a list belong to the same group.
    guard let first = list.first else { return }
    let part = parts[groups?.numbers[first.candidate] ?? 0]
    for found in list {
      score.writeReasons(
        part.byScore.tree.candidates, place: Int(places[found.candidate]), distance: found.distance,
        to: &published)
      body(published)
    }
  }

  /// Prepares the query of `user`: by score, or by distance if the user has no model or the model scores all
  /// candidates alike.
  func query(of user: Int, top: Int, _ workspace: inout SearchWorkspace) -> BlockQuery {
    var order = BlockQuery.QueryOrder.distance(score: nil)
    if table?.read(user, into: &workspace.model) ?? false {
      byScore.prepare(&workspace.score, workspace.model, of: user)
      order =
        workspace.score.constant.map { .distance(score: $0) } ?? .score(above: people.ranking.minimumScore)
    }
    var slack = workspace.score.slack
    if case .distance = order {
      workspace.distanceOrder.prepareDistance(farthest: byDistance.radius)
      slack = workspace.distanceOrder.slack
    }
    return BlockQuery(
      user: user, position: people.users[user], slack: slack, order: order,
      top: TopList(capacity: top, order: people.order(forUser: user)))
  }

  /// Prepares `workspace.score` for the reasons of `user` without searching for lists.
  package func prepareScore(of user: Int, _ workspace: inout SearchWorkspace) {
    _ = query(of: user, top: people.ranking.top, &workspace)
  }

  /// Counts the candidates of `part` that are in reach, and the excluded candidates among them. The second
  /// result is the number of excluded candidates in reach that the user has interacted with. With groups,
  /// `part` is the part of `group`.
  private func count(
    _ part: BlockPart, _ group: Int?, _ query: BlockQuery, _ workspace: inout SearchWorkspace
  ) -> (SearchCounts, Int) {
    var counts = part.everybody
    if let reach = part.reach, let origin = query.origin {
      counts = SearchCounts(exclusions: people.ranking.exclusions.count)
      if let last = workspace.lastReach, last.owner === reach, last.origin == origin.coordinate {
        counts = last.counts
      } else {
        reach.add(around: origin, to: &counts)
        workspace.lastReach = (reach, origin.coordinate, counts)
      }
    }
    var interactedInReach = 0
    for entry in workspace.tree.exclusions.entries {
      let candidate = Int(entry.candidate)
      if let group, groups?.numbers[candidate] != group { continue }
      if !isInReach(candidate, query) { continue }
      if entry.hasInteracted { interactedInReach += 1 }
      // A flagged candidate is already counted by its flag, but an earlier rule may exclude it first.
      let (flag, rule) = (Int(flags[candidate]), Int(entry.rule))
      if flag >= 0 {
        guard rule < flag else { continue }
        counts.excluded[flag] -= 1
      }
      counts.excluded[rule] += 1
    }
    return (counts, interactedInReach)
  }

  private func isInReach(_ candidate: Int, _ query: BlockQuery) -> Bool {
    guard let chord else { return true }
    guard let center = query.center, let vector = vectors[candidate] else { return false }
    let squared = center.squaredChord(toX: vector.x, y: vector.y, z: vector.z)
    if squared <= chord.surelyWithin || squared >= chord.surelyBeyond { return squared <= chord.surelyWithin }
    return people.candidates.distanceInKilometers(from: query.origin, to: candidate) <= byDistance.radius
  }
}

/// A partition of the candidates into groups, such as the words of a category. Each group has its own list.
package struct ListGroups: Sendable {
  package let count: Int
  /// The group of each candidate, by row, as a number from 0; `count` for a candidate without a group.
  let numbers: [Int]

  package init(count: Int, numbers: [Int]) {
    self.count = count
    self.numbers = numbers
  }
}
