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
    // If the model learns from another kind of interaction, the outcomes of learning rows are not among the
    // likes, so the value of a learning row excludes no like.
    guard feature.isLearnedFrom else {
      return BoundValues(NumberShape(likes(interactions(feature.interaction)).values), isPublic: false)
    }
    // The learning rows include the sampled negatives. Negatives count as passes, so they do not change the
    // values.
    return BoundValues(likes(learning), isPublic: false)
  }
}
