internal import PipelineFile
internal import RunSchemas

/// Who may stand on whose list under one ranking, whatever candidates are ordered by.
struct RankingRules: Sendable {
  let eligibility: Eligibility
  let reach: Reach
  /// Who is a candidate of whom; `nil` where everybody is.
  let chosen: ChosenCandidates?

  init(
    _ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot, users: EntityTable,
    candidates: EntityTable
  ) {
    eligibility = Eligibility(ranking, pipeline, snapshot)
    reach = Reach(ranking, users: users, candidates: candidates)
    chosen = ChosenCandidates(ranking, pipeline, snapshot)
  }

  /// Whether all users have one radius and the same candidates, but for single exclusions: what the searches need that do not
  /// look at everybody in reach.
  var isPlain: Bool { reach.isOneForAll && chosen == nil && eligibility.wishes == nil }
}
