internal import Columns
internal import PipelineFile
internal import RunSchemas

extension FeatureBinding {
  func bind(_ feature: DifferenceFeature) -> BoundValues {
    let pair = feature.pair
    let (users, candidates) = (users.measure(pair.user), candidates.measure(pair.candidate))
    let own = bounds(of: users, feature, \.users)
    let others = bounds(of: candidates, feature, \.candidates)
    func scaled(_ values: [Double]) -> [Double] {
      feature.isLogarithm ? values.map(SignedLogarithm.of) : values
    }
    var shape = DifferenceShape(
      users: scaled(own.map { $0(users) } ?? users),
      candidates: scaled(others.map { $0(candidates) } ?? candidates), isAbsolute: !feature.isSigned)
    if let own { shape.learnedUsers = scaled(own.withoutBeyond(users)) }
    if let others { shape.learnedCandidates = scaled(others.withoutBeyond(candidates)) }
    var bound = BoundValues(shape)
    (bound.form.users, bound.form.candidates) = (own, others)
    return bound
  }
}

extension EntityTable {
  /// Returns the values of a number attribute, or the dates of a date attribute as years since 1970.
  fileprivate func measure(_ name: String) -> [Double] { numbers[name]?.elements ?? years(name) }
}
