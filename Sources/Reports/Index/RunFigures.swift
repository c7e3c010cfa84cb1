internal import PipelineFile
internal import RunSchemas

/// The main figures of a run in one table row. `served` is the share of users with at least one entry, and
/// `full` is the share of users with a full list. Both are the lowest shares among the rankings without the
/// keys `pending` and `among`. `finding` and `ordering` are the nDCG and the AUC of the first evaluated
/// ranking.
struct RunFigures {
  let read: Int
  let rejected: Double?
  let served: Double?
  let full: Double?
  let finding: Double?
  let ordering: Double?

  init(_ run: ReportedRun) {
    read = run.sources.reduce(0) { $0 + $1.read }
    let rejects = run.sources.reduce(0) { $0 + $1.rejected }
    rejected = read == 0 ? nil : Double(rejects) / Double(read)
    let lists = run.lists.filter { $0.users > 0 && !$0.ranking.listsGivenCandidates }
    served = lists.map(\.shareServed).min()
    full = lists.map(\.shareFull).min()
    func mean(_ metric: (JudgedRanking) -> String) -> Double? {
      guard let ranking = run.judged.first else { return nil }
      let estimate = ranking.estimate("pipeline", metric(ranking))
      return estimate.users < Disclosure.leastPeople ? nil : estimate.mean
    }
    finding = mean { "ndcg@\($0.longest)" }
    ordering = mean { _ in "auc" }
  }
}
