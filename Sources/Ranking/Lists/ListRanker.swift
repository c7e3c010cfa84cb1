internal import Columns
package import Concurrency
internal import Features
internal import Files
package import PipelineFile
package import RunSchemas
package import Search
internal import Text

/// Finds the lists of one ranking, and writes them to the ranking's files.
package struct ListRanker: Sendable {
  /// The lists of all users with lists, in search order.
  package struct Lists: Sendable {
    /// The lists in chunks of `chunkSize` users, in search order.
    fileprivate let chunks: [RankedLists]
    /// The place of each user in search order, one element per row; `noPlace` for a user without a list.
    fileprivate let places: [UInt32]
    fileprivate static let noPlace = UInt32.max
    /// The counts of candidates that each rule removes.
    let funnel: Funnel
    package let effort: SearchEffort

    /// The index of each user's first list in the user's chunk, by chunk and then by place of the user in the
    /// chunk.
    fileprivate let firsts: [[Int]]

    /// Returns the chunk of a user, and the index of the user's first list in this chunk; `nil` for a user
    /// without lists.
    ///
    /// The result contains the index of the chunk, because copying the chunk would update the reference
    /// counts of all its arrays.
    fileprivate func first(of user: Int) -> (chunk: Int, number: Int)? {
      guard places[user] != Self.noPlace else { return nil }
      let (chunk, place) = Int(places[user]).quotientAndRemainder(dividingBy: ListRanker.chunkSize)
      return (chunk, firsts[chunk][place])
    }

    package var userCount: Int { places.count }
    /// The number of recommendations on all lists.
    package var listedCount: Int { chunks.reduce(0) { $0 + $1.candidates.count } }
  }

  let recommender: Recommender
  private let users: StringColumn
  private let candidates: StringColumn
  private let labels: ReasonLabels?
  private let shown: ShownCandidates?

  /// The number of users per chunk of the search, in the order of cells.
  private static let chunkSize = 512
  /// The number of users per piece of text, in the order of ids. The number is small, so that the allocator
  /// reuses the memory instead of returning the memory to the system.
  private static let textSize = 64

  /// Binds `ranking` to the stage directories of `run`.
  ///
  /// - Throws: `FileError`; for discovery, also `MissingLibrary` and `NoMemoryForSolving`.
  package init(
    _ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot, run: String,
    method: Recommender.Method, threads: Int
  ) throws {
    guard let users = snapshot.entities[ranking.users], let candidates = snapshot.entities[ranking.candidates]
    else {
      preconditionFailure("the snapshot does not contain the entities that '\(ranking.name)' ranks")
    }
    self.users = users.ids
    self.candidates = candidates.ids
    recommender = try Recommender(
      ranking, pipeline, snapshot, run: run,
      scoring: try Recommender.Scoring(ranking, pipeline, snapshot, run: run, threads: threads),
      method: method,
      threads: threads)
    labels = recommender.model.map { ReasonLabels($0.space) }
    shown = ShownCandidates(ranking, pipeline, snapshot)
  }

  /// Computes the lists of all users in the ranking's audience.
  package func search(threads: Int, _ progress: WorkProgress = WorkProgress()) -> Lists {
    let order = recommender.usersByCell().filter { recommender.audience.contains(Int($0)) }
    let sample = FunnelSample(users: users.count) { recommender.audience.contains($0) }
    let exposed = recommender.ranking.exposure.map { limits in
      progress.step("\(recommender.ranking.name), exposure")
      var exposed = ExposedLists(limits, recommender, of: order, sample, threads: threads)
      return exposed.choose()
    }
    let found = parallelMap(count: order.count, chunkSize: Self.chunkSize, threads: threads) { chunk in
      var workspace = SearchWorkspace()
      var lists = RankedLists(
        lists: chunk.reduce(0) { $0 + listCount(of: Int(order[$1])) }, top: recommender.ranking.top,
        hasReasons: labels != nil)
      var firsts: [Int] = []
      var next = 0
      var funnel = Funnel(recommender.ranking)
      var reasons: [Contribution] = []
      for place in chunk {
        let user = Int(order[place])
        firsts.append(next)
        next += listCount(of: user)
        let isCounted = sample.contains(user)
        let found =
          exposed?.lists[place]
          ?? recommender.searchLists(user: user, isCounting: isCounted, using: &workspace)
        for result in found.lists {
          append(
            reasonsOf: result, of: user, isSearched: exposed == nil, &workspace, &reasons, to: &lists)
          lists.append(result)
        }
        funnel.add(found, candidates: candidates.count, isCounted: isCounted)
      }
      progress.add(chunk.count)
      return (lists: lists, firsts: firsts, funnel: funnel, effort: workspace.effort)
    }
    var funnel = Funnel(recommender.ranking)
    funnel.exposure = exposed?.summary
    var effort = SearchEffort()
    for chunk in found {
      funnel += chunk.funnel
      effort += chunk.effort
    }
    var places = [UInt32](repeating: Lists.noPlace, count: users.count)
    for (place, user) in order.enumerated() { places[Int(user)] = UInt32(place) }
    return Lists(
      chunks: found.map(\.lists), places: places, funnel: funnel, effort: effort, firsts: found.map(\.firsts))
  }

  private func listCount(of user: Int) -> Int { recommender.words?.count(of: user) ?? 1 }

  /// Writes the lists to the JSONL file and the CSV file of the ranking, with users in the order of ids.
  func write(_ lists: Lists, to directory: inout StageDirectory, threads: Int) throws(FileError) {
    let size = Self.textSize
    let name = recommender.ranking.name
    try directory.write(name + "/part-00000.jsonl", name + ".csv") { (json, csv) throws(FileError) in
      try csv.append(recommender.words == nil ? ListText.header : ListText.headerWithWords)
      try parallelInOrder(count: (users.count + size - 1) / size, threads: threads) {
        (number) throws(FileError) -> ListText in
        text(of: number * size..<min(users.count, (number + 1) * size), lists)
      } consume: { (text: ListText) throws(FileError) in
        try json.append(text.json.bytes)
        try csv.append(text.csv.bytes)
      }
    }
  }

  /// Returns the distribution of exposure by `lists` among the candidates that the rules allow; `nil` if the
  /// rules exclude all candidates.
  func exposure(by lists: Lists) -> Exposure? {
    // Whole numbers make the sums independent of the order of the lists.
    let unit = Double(1 << 32)
    let weights = (0..<recommender.ranking.top).map {
      Int((unit * Exposure.discount(atPlace: $0 + 1)).rounded())
    }
    var exposures = [Int](repeating: 0, count: candidates.count)
    for chunk in lists.chunks {
      chunk.forEachCandidates(of: 0..<chunk.count) { list in
        for place in list.indices { exposures[Int(list[place])] += weights[place] }
      }
    }
    let allowed = exposures.indices.filter { exposures[$0] > 0 || recommender.isListable(candidate: $0) }
    return allowed.isEmpty ? nil : Exposure(allowed.map { Double(exposures[$0]) / unit })
  }

  /// Appends the reasons of a list. `search` calls this function right after the search for the list, while
  /// the list's candidates are still in the caches.
  private func append(
    reasonsOf result: SearchResult, of user: Int, isSearched: Bool, _ workspace: inout SearchWorkspace,
    _ found: inout [Contribution], to lists: inout RankedLists
  ) {
    guard let labels else { return }
    // The entries of a mutual order have reasons, but no scores.
    let isScored = result.best.first.map { $0.score != nil || recommender.isMutual } ?? false
    let hasScores = isScored && recommender.prepareReasons(user, &workspace, isSearched: isSearched)
    found.removeAll(keepingCapacity: true)
    if hasScores {
      recommender.forEachReasons(of: result.best, workspace, &found) { lists.append($0, labels) }
    } else {
      for _ in result.best { lists.append(found, labels) }
    }
  }

  /// Returns the text of the lists of the users in `chunk`.
  private func text(of chunk: Range<Int>, _ lists: Lists) -> ListText {
    fetchIds(of: chunk, lists)
    var text = ListText()
    for user in chunk {
      guard let (chunk, index) = lists.first(of: user) else { continue }
      guard let words = recommender.words else {
        text.beginList(user: users.bytes(user))
        append(lists.chunks[chunk], index, to: &text)
        text.endList(lists.chunks[chunk].shortfall(index))
        continue
      }
      text.beginLists(user: users.bytes(user))
      for word in 0..<words.count(of: user) {
        text.beginList(
          word: words.names.bytes(words.name(of: word, ofUser: user)), user: users.bytes(user),
          isFirst: word == 0)
        append(lists.chunks[chunk], index + word, to: &text)
        text.endList(lists.chunks[chunk].shortfall(index + word), isOnly: false)
      }
      text.endLists()
    }
    return text
  }

  /// Prefetches the ids of the candidates on the lists of the users in `chunk`. Users are in the order of ids
  /// here, so their candidates are scattered over the column. Without prefetching, most look-ups would be
  /// cache misses.
  private func fetchIds(of chunk: Range<Int>, _ lists: Lists) {
    for user in chunk {
      forEachList(of: user, lists) { candidates.prefetchOffsets(of: $0) }
    }
    for user in chunk {
      forEachList(of: user, lists) { candidates.prefetchTexts(of: $0) }
    }
  }

  /// Calls `body` with the candidates of each list of a user.
  private func forEachList(of user: Int, _ lists: Lists, _ body: (Span<UInt32>) -> Void) {
    guard let (chunk, first) = lists.first(of: user) else { return }
    lists.chunks[chunk].forEachCandidates(of: first..<first + listCount(of: user), body)
  }

  /// Appends the recommendations of the list with the number `index`.
  private func append(_ list: RankedLists, _ index: Int, to text: inout ListText) {
    let rounding = recommender.ranking.distanceRounding
    let range = list.range(index)
    for position in range {
      let entry = ListText.ListedEntry(
        rank: position - range.lowerBound + 1, candidate: Int(list.candidates[position]),
        score: list.scores[position], distance: rounding.tenths(list.distances[position]))
      text.begin(entry, ids: candidates)
      if let labels { append(reasonsAt: position, of: list, labels, to: &text) }
      text.end(Int(list.candidates[position]), shown)
    }
  }

  private func append(
    reasonsAt position: Int, of list: RankedLists, _ labels: ReasonLabels, to text: inout ListText
  ) {
    for number in 0..<RankedLists.reasonsEach {
      let place = position * RankedLists.reasonsEach + number
      if list.labels[place] == RankedLists.noReason { break }
      text.append(
        reason: labels.text(list.labels[place]), list.contributions[place], isFirst: number == 0)
    }
  }
}

extension Pipeline.DistanceRounding {
  /// Returns the distance to publish, in kilometers. `ListText` prints the distance with one decimal.
  /// `kilometers` must not be negative. NaN stays NaN.
  ///
  /// With `nearest`, the result is `kilometers`, and `ListText` rounds it. With `up`, the result is the
  /// smallest double among 0.0, 0.1, 0.2 ... that is at least `kilometers`.
  func tenths(_ kilometers: Double) -> Double {
    switch self {
    case .nearest: return kilometers
    case .up:
      let tenths = (kilometers * 10).rounded(.up)
      // The product may have been rounded down to a whole number.
      return tenths / 10 < kilometers ? (tenths + 1) / 10 : tenths / 10
    }
  }
}
