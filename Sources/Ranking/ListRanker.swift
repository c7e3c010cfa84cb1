internal import Features
internal import PipelineFile
internal import Reproducible
internal import SpatialIndex
internal import Tables

/// Makes all lists of one ranking.
struct ListRanker: Sendable {
  private let ranking: Pipeline.Ranking
  private let search: ScanSearch
  private let users: EntityTable
  private let candidates: EntityTable
  private let userHashes: [UInt64]
  /// What to predict with; `nil` where the ranking is by distance.
  private let model: (space: FeatureSpace, table: ModelTable)?

  /// Binds `ranking` to the stage directories of `run`.
  init(_ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot, run: String) throws(FileError)
  {
    guard let users = snapshot.entities[ranking.users], let candidates = snapshot.entities[ranking.candidates]
    else {
      preconditionFailure("the snapshot does not hold what '\(ranking.name)' ranks")
    }
    self.ranking = ranking
    self.users = users
    self.candidates = candidates
    userHashes = users.ids.idHashes
    search = ScanSearch(
      ranking: ranking, users: Positions(users), candidates: Positions(candidates),
      candidateCount: candidates.count, eligibility: Eligibility(ranking, pipeline, snapshot),
      index: ranking.radiusInKilometers == nil
        ? nil : try SpatialIndex(run + "/index", entity: ranking.candidates),
      candidateHashes: candidates.ids.idHashes, seed: pipeline.seed)
    if ranking.order == .score, let model = pipeline.model {
      let space = FeatureSpace(model, pipeline, snapshot)
      self.model = (space, try ModelTable(run + "/models", columns: space.columns))
    } else {
      model = nil
    }
  }

  /// The lists of a range of users, and what was counted.
  struct Chunk: Sendable {
    var text = ListText()
    var funnel: Funnel
  }

  /// All lists, in the order of ids, by `threads` workers.
  func rankAll(threads: Int) -> [Chunk] {
    parallelMap(count: users.count, chunkSize: 256, threads: threads) { chunk in
      var result = Chunk(funnel: Funnel(ranking))
      for user in chunk { append(user, to: &result) }
      return result
    }
  }

  private func append(_ user: Int, to chunk: inout Chunk) {
    let learned = model.flatMap { model in model.table[user].map { (model.space, $0) } }
    let scorer = learned.map { Scorer($0.1, of: user, in: $0.0) }
    let result = search.search(user, userHash: userHashes[user], scorer: scorer)
    var reasons: [[Reason]] = []
    if let (space, learnedModel) = learned, let scorer {
      reasons = result.best.map {
        space.reasons(
          scorer, model: learnedModel, user: user, candidate: $0.candidate, distance: $0.distance
        ).published
      }
    }
    chunk.text.append(user: users.ids.bytes(user), result, ids: candidates.ids, reasons: reasons)
    chunk.funnel.add(result, candidates: candidates.count)
  }
}
