internal import PipelineFile
internal import RunSchemas

/// The rules of one ranking that decide which candidates may be on which lists, for any order of candidates.
struct RankingRules: Sendable {
  let eligibility: Eligibility
  let reach: Reach
  /// The candidates that each user may get, in a ranking with `pending` or `among`; `nil` in other rankings.
  let chosen: ChosenCandidates?

  init(
    _ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot, users: EntityTable,
    candidates: EntityTable
  ) {
    eligibility = Eligibility(ranking, pipeline, snapshot)
    reach = Reach(ranking, users: users, candidates: candidates)
    chosen = ChosenCandidates(ranking, pipeline, snapshot)
  }

  /// Whether all users have the same radius and the same candidates, apart from individual exclusions. A
  /// search can skip candidates in reach only in this case.
  var isPlain: Bool { reach.isOneForAll && chosen == nil && eligibility.wishes == nil }
}
