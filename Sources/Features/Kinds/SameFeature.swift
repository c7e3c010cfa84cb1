internal import Columns
internal import PipelineFile

extension FeatureBinding {
  /// Binds `same`. Both sides use the codes of the users' vocabulary.
  func bind(_ feature: SameFeature) -> BoundValues {
    let pair = feature.pair
    let (user, candidate) = (users.category(pair.user), candidates.category(pair.candidate))
    let codes = candidate.codes.elements
    if isOneKind, pair.user == pair.candidate {
      return BoundValues(SameCodeShape(users: codes, candidates: codes))
    }
    let shared = candidate.vocabulary.codes(in: user.vocabulary)
    return BoundValues(
      SameCodeShape(
        users: user.codes.elements,
        candidates: codes.map { $0 == CategoryColumn.missing ? $0 : shared[Int($0)] }))
  }
}
