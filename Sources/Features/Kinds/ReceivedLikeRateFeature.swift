internal import PipelineFile

extension FeatureBinding {
  func bind(_ feature: ReceivedLikeRateFeature) -> BoundValues {
    let rates = ReceivedRates(
      interactions(feature.interaction), smoothing: feature.smoothing, isAdjusted: feature.isAdjusted,
      threads: threads)
    // If the learning rows are of another kind, the rates include all decisions.
    guard feature.isLearnedFrom else { return BoundValues(NumberShape(rates.values), isPublic: false) }
    return BoundValues(rates, isPublic: false)
  }
}
