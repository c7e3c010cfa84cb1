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
    parallelMap(count: users.count, chunkSize: 256, threads: threads) { chunk in
      var result = Chunk(funnel: Funnel(recommender.ranking))
      var workspace = SearchWorkspace()
      for user in chunk { append(user, to: &result, &workspace) }
      return result
    }
  }

  private func append(_ user: Int, to chunk: inout Chunk, _ workspace: inout SearchWorkspace) {
    let result = recommender.search(user: user, using: &workspace)
    let reasons = recommender.reasons(for: result.best, of: user).map(\.published)
    chunk.text.append(user: users.bytes(user), result, ids: candidates, reasons: reasons)
    chunk.funnel.add(result, candidates: candidates.count)
  }
}
