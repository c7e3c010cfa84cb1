internal import Features
internal import PipelineFile
internal import Reproducible
internal import Tables

/// Turns the results of one ranking into the text of its files.
struct ListRanker: Sendable {
  private let recommender: Recommender
  private let users: StringColumn
  private let candidates: StringColumn

  /// Binds `ranking` to the stage directories of `run`.
  init(
    _ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot, run: String,
    method: Recommender.Method
  ) throws(FileError) {
    guard let users = snapshot.entities[ranking.users], let candidates = snapshot.entities[ranking.candidates]
    else {
      preconditionFailure("the snapshot does not hold what '\(ranking.name)' ranks")
    }
    self.users = users.ids
    self.candidates = candidates.ids
    recommender = try Recommender(
      ranking, pipeline, snapshot, run: run,
      scoring: Recommender.Scoring(ranking, pipeline, snapshot, run: run), method: method)
  }

  /// The lists of a range of users, and what was counted.
  struct Chunk: Sendable {
    var text = ListText()
    var funnel: Funnel
  }

  /// All lists, in the order of ids, by `threads` workers.
  func rankAll(threads: Int) -> [Chunk] {
    let results = recommender.searchAll(threads: threads)
    return parallelMap(count: users.count, chunkSize: 256, threads: threads) { chunk in
      var part = Chunk(funnel: Funnel(recommender.ranking))
      for user in chunk { append(user, results[user], to: &part) }
      return part
    }
  }

  private func append(_ user: Int, _ result: SearchResult, to chunk: inout Chunk) {
    let reasons = recommender.reasons(for: result.best, of: user).map(\.published)
    chunk.text.append(user: users.bytes(user), result, ids: candidates, reasons: reasons)
    chunk.funnel.add(result, candidates: candidates.count)
  }
}
