internal import Features
internal import PipelineFile
internal import Reproducible
internal import Tables

/// Turns the results of one ranking into the text of its files.
struct ListRanker: Sendable {
  let recommender: Recommender
  private let users: StringColumn
  private let candidates: StringColumn
  private let labels: ReasonLabels?
  private let layout: SearchLayout?

  /// Users per search, in the order of cells, and per piece of text, in the order of ids.
  private static let chunkSize = 512
  /// Of how many users candidates are counted for the funnel.
  private static let countedUsers = 10_000

  /// Binds `ranking` to the stage directories of `run`.
  init(
    _ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot, run: String,
    method: Recommender.Method, threads: Int
  ) throws(FileError) {
    guard let users = snapshot.entities[ranking.users], let candidates = snapshot.entities[ranking.candidates]
    else {
      preconditionFailure("the snapshot does not hold what '\(ranking.name)' ranks")
    }
    self.users = users.ids
    self.candidates = candidates.ids
    recommender = try Recommender(
      ranking, pipeline, snapshot, run: run,
      scoring: Recommender.Scoring(ranking, pipeline, snapshot, run: run), method: method, threads: threads)
    labels = recommender.model.map { ReasonLabels($0.space) }
    layout = recommender.model.map { SearchLayout($0.space) }
  }

  /// Writes the lists to both files of the ranking, users in the order of ids.
  ///
  /// - Returns: Who was lost where.
  func write(to directory: inout StageDirectory, threads: Int) throws(FileError) -> Funnel {
    let order = recommender.usersByCell()
    let size = Self.chunkSize
    let step = (users.count + Self.countedUsers - 1) / Self.countedUsers
    let found = parallelMap(count: users.count, chunkSize: size, threads: threads) { chunk in
      var workspace = SearchWorkspace()
      var (lists, funnel) = (RankedLists(), Funnel(recommender.ranking))
      for place in chunk {
        let user = Int(order[place])
        let isCounted = user % step == 0
        let result = recommender.search(user: user, isCounting: isCounted, using: &workspace)
        lists.append(result)
        funnel.add(result, candidates: candidates.count, isCounted: isCounted)
      }
      return (lists: lists, funnel: funnel)
    }
    var funnel = Funnel(recommender.ranking)
    for chunk in found { funnel += chunk.funnel }
    var places = [UInt32](repeating: 0, count: order.count)
    for (place, user) in order.enumerated() { places[Int(user)] = UInt32(place) }
    let (lists, placeOf) = (found.map(\.lists), places)
    let chunks = (users.count + size - 1) / size
    let name = recommender.ranking.name
    try directory.write(name + "/part-00000.jsonl", name + ".csv") { (json, csv) throws(FileError) in
      try csv.append(ListText.header)
      try parallelInOrder(count: chunks, threads: threads) { (number) throws(FileError) -> ListText in
        text(of: number * size..<min(users.count, (number + 1) * size), lists, placeOf)
      } consume: { (text: ListText) throws(FileError) in
        try json.append(text.json.bytes)
        try csv.append(text.csv.bytes)
      }
    }
    return funnel
  }

  /// The text of the lists of some users.
  private func text(of chunk: Range<Int>, _ lists: [RankedLists], _ places: [UInt32]) -> ListText {
    var text = ListText()
    var (model, score, reasons) = (ColumnModel(), UserScore(), [Contribution]())
    for user in chunk {
      let place = Int(places[user])
      let (list, index) = (lists[place / Self.chunkSize], place % Self.chunkSize)
      let id = users.bytes(user)
      let hasModel = recommender.model?.table.read(user, into: &model) ?? false
      if hasModel, let space = recommender.model?.space, let layout {
        score.prepare(model, user: user, in: space, layout, farthest: .infinity)
      }
      text.beginList(user: id)
      let range = list.range(index)
      for position in range {
        let entry = ListText.Entry(
          rank: position - range.lowerBound + 1, candidate: Int(list.candidates[position]),
          score: list.scores[position], distance: list.distances[position])
        text.begin(entry, user: id, ids: candidates)
        if hasModel { append(entry, user: user, model, score, &reasons, to: &text) }
        text.end()
      }
      text.endList(list.shortfall(index))
    }
    return text
  }

  private func append(
    _ entry: ListText.Entry, user: Int, _ model: ColumnModel, _ score: UserScore,
    _ reasons: inout [Contribution], to text: inout ListText
  ) {
    guard let space = recommender.model?.space, let labels else { return }
    score.writeReasons(space, candidate: entry.candidate, distance: entry.distance, to: &reasons)
    for (number, reason) in reasons.enumerated() {
      let label = labels.text(
        of: reason.feature, in: space, mean: model.means[space.features[reason.feature].firstColumn],
        user: user, candidate: entry.candidate, distance: entry.distance)
      text.append(reason: label, reason.amount, isFirst: number == 0)
    }
  }
}
