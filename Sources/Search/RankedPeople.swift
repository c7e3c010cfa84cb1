package import Features
package import PipelineFile

/// The users and candidates of a ranking, with the hashes and the seed that break ties.
package struct RankedPeople: Sendable {
  package let ranking: Pipeline.Ranking
  package let users: Positions
  package let candidates: Positions
  package let userHashes: [UInt64]
  package let candidateHashes: [UInt64]
  package let seed: UInt64

  package init(
    ranking: Pipeline.Ranking, users: Positions, candidates: Positions, userHashes: [UInt64],
    candidateHashes: [UInt64], seed: UInt64
  ) {
    self.ranking = ranking
    self.users = users
    self.candidates = candidates
    self.userHashes = userHashes
    self.candidateHashes = candidateHashes
    self.seed = seed
  }

  package func order(forUser user: Int) -> RecommendationOrder {
    RecommendationOrder(userHash: userHashes[user], seed: seed)
  }
}
