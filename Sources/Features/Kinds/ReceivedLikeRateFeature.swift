internal import PipelineFile

extension FeatureBinding {
  func bind(_ feature: ReceivedLikeRateFeature) -> BoundValues {
    let rates = ReceivedRates(
      interactions(feature.interaction), smoothing: feature.smoothing, isAdjusted: feature.isAdjusted,
      threads: threads)
    // Another kind has no row that is learned from, so there is nothing to leave out of it.
    guard feature.isLearnedFrom else { return BoundValues(NumberShape(rates.values), isPublic: false) }
    return BoundValues(rates, isPublic: false)
  }
}
