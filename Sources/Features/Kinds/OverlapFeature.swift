internal import Columns
internal import PipelineFile

extension FeatureBinding {
  /// Binds `overlap`. Both sides use the codes of the users' vocabulary.
  func bind(_ feature: OverlapFeature) -> BoundValues {
    let pair = feature.pair
    let (user, candidate) = (users.tags(pair.user), candidates.tags(pair.candidate))
    if isOneKind, pair.user == pair.candidate {
      let sets = CodeSets(candidate)
      return BoundValues(SharedTagsShape(users: sets, candidates: sets))
    }
    let shared = candidate.vocabulary.codes(in: user.vocabulary)
    return BoundValues(
      SharedTagsShape(users: CodeSets(user), candidates: CodeSets(candidate) { shared[Int($0)] }))
  }
}
