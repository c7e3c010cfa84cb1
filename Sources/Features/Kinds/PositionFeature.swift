internal import Columns
internal import PipelineFile
internal import RunSchemas

extension FeatureBinding {
  func bind(_ feature: PositionFeature) -> (latitude: BoundValues, longitude: BoundValues) {
    guard let latitude = candidates.latitude, let longitude = candidates.longitude else {
      preconditionFailure("the snapshot does not contain positions of the candidates")
    }
    return (
      bounded(latitude.elements, feature.names[0], low: "south", high: "north"),
      bounded(longitude.elements, feature.names[1], low: "west", high: "east")
    )
  }
}
