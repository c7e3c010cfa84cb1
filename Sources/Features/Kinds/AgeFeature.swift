internal import Files
internal import PipelineFile
internal import RunSchemas
internal import Text

extension FeatureBinding {
  func bind(_ feature: AgeFeature) -> BoundValues {
    let now = snapshot.manifest.asOf.years
    // A date after the as-of time gives a missing age.
    let ages = candidates.years(feature.attribute).map { $0 > now ? .nan : now - $0 }
    return bounded(ages, feature)
  }
}
