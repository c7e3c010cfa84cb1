internal import Features
internal import PipelineFile

/// Who is ranked for whom, and by which rules: what every search needs, whatever scores are made of.
struct RankedPeople: Sendable {
  let ranking: Pipeline.Ranking
  let users: Positions
  let candidates: Positions
  let eligibility: Eligibility
  let reach: Reach
  let userHashes: [UInt64]
  let candidateHashes: [UInt64]
  let seed: UInt64

  func order(forUser user: Int) -> RecommendationOrder {
    RecommendationOrder(userHash: userHashes[user], seed: seed)
  }
}
