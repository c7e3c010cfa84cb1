internal import PipelineFile

extension FeatureBinding {
  func bind(_ feature: DistanceFeature) -> BoundValues {
    BoundValues(DistanceShape(users: positions.users, candidates: positions.candidates))
  }
}
