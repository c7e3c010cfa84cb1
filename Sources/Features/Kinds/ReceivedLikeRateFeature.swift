internal import PipelineFile

extension FeatureBinding {
  func bind(_ feature: ReceivedLikeRateFeature) -> BoundValues {
    let rates = ReceivedRates(
      interactions(feature.interaction), smoothing: feature.smoothing, isAdjusted: feature.isAdjusted,
      threads: threads)
    // If the model learns from another kind of interaction, no decision needs to be left out.
    guard feature.isLearnedFrom else { return BoundValues(NumberShape(rates.values), isPublic: false) }
    return BoundValues(rates, isPublic: false)
  }
}
