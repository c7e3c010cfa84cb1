internal import Columns
internal import PipelineFile

extension FeatureBinding {
  /// Codes of the users' vocabulary for both.
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
