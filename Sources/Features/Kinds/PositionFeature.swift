internal import Columns
internal import PipelineFile
internal import RunSchemas

extension FeatureBinding {
  func bind(_ feature: PositionFeature) -> (latitude: BoundValues, longitude: BoundValues) {
    guard let latitude = candidates.latitude, let longitude = candidates.longitude else {
      preconditionFailure("the snapshot does not contain positions of the candidates")
    }
    return (
      BoundValues(NumberShape(latitude.elements, low: "south", high: "north")),
      BoundValues(NumberShape(longitude.elements, low: "west", high: "east"))
    )
  }
}
