internal import PipelineFile

extension FeatureBinding {
  func bind(_ feature: TextFeature) -> BoundValues {
    let vectors = HashedWords.vectors(of: candidates.text(feature.attribute), dimensions: feature.dimensions)
    return BoundValues(VectorShape(vectors), columns: (0..<feature.dimensions).map { "#\($0)" })
  }
}
