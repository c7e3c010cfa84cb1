internal import Files
internal import PipelineFile
internal import RunSchemas
internal import Text

extension FeatureBinding {
  func bind(_ feature: PopularityFeature) -> BoundValues {
    let asOf = snapshot.manifest.asOf.milliseconds
    func likes(_ table: InteractionTable) -> ReceivedLikes {
      ReceivedLikes(table, halfLife: feature.halfLife, asOf: asOf, threads: threads)
    }
    // If the learning rows are of another kind, the values include all likes.
    guard feature.isLearnedFrom else {
      return BoundValues(NumberShape(likes(interactions(feature.interaction)).values), isPublic: false)
    }
    // The learning rows include the sampled negatives, which are passes here and so do not count.
    return BoundValues(likes(learning), isPublic: false)
  }
}
