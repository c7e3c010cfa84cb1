internal import PipelineFile

extension FeatureBinding {
  func bind(_ feature: ReceivedLikeRateFeature) -> BoundValues {
    let rates = ReceivedRates(
      interactions(feature.interaction), smoothing: feature.smoothing, isAdjusted: feature.isAdjusted,
      threads: threads)
    // If the model learns from another kind of interaction, the outcomes of learning rows are not among the
    // decisions, so the value of a learning row excludes no decision.
    guard feature.isLearnedFrom else { return BoundValues(NumberShape(rates.values), isPublic: false) }
    return BoundValues(rates, isPublic: false)
  }
}
