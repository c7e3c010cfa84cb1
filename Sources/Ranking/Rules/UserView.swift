internal import Features
internal import Geohash
package import PipelineFile

/// One user's view of the candidates of a ranking. It scores and checks single candidates.
package struct UserView {
  let ranking: Pipeline.Ranking
  /// The user's predictions; `nil` if the user has no model.
  let scorer: PairScorer?
  let origin: DistanceOrigin?
  let candidates: Positions
  let eligibility: UserEligibility
  let reach: Reach
  /// The user's radius in kilometers; `nil` if there is no radius.
  let radius: Double?

  /// Returns the distance in kilometers to `candidate`; NaN if a position is unknown.
  package func distanceInKilometers(to candidate: Int) -> Double {
    candidates.distanceInKilometers(from: origin, to: candidate)
  }

  /// Returns the predicted score (`nil` if there is no model) and the distance in kilometers (NaN if
  /// unknown).
  package func score(candidate: Int) -> (score: Double?, distance: Double) {
    let distance = distanceInKilometers(to: candidate)
    return (scorer?.score(candidate: candidate, distance: distance), distance)
  }

  /// Returns the number that orders `candidate` on the user's list, greatest first. It is the predicted
  /// `score` or, in the mutual order, the chance that both like each other.
  package func sortKey(candidate: Int, distance: Double, score: Double) -> Double {
    scorer?.sortKey(candidate: candidate, distance: distance, score: score) ?? score
  }

  /// Returns whether `candidate` is within the user's radius, and the user is within the candidate's radius.
  /// Without a radius, every candidate is in reach.
  package func isInReach(candidate: Int) -> Bool {
    reach.contains(candidate, distance: distanceInKilometers(to: candidate), radius: radius)
  }

  /// Returns the first of the ranking's exclusions that applies to `candidate`; `nil` if none applies. The
  /// candidate need not be in reach.
  package func exclusion(of candidate: Int) -> Pipeline.Exclusion? {
    eligibility.exclusion(of: candidate).map { ranking.exclusions[$0] }
  }

  /// Returns whether `candidate` is in reach and not excluded.
  package func isEligible(candidate: Int) -> Bool {
    isInReach(candidate: candidate) && eligibility.exclusion(of: candidate) == nil
  }
}
