// How the pipeline file describes the model.

extension Pipeline.Model {
  init(_ setting: Setting, _ pipeline: Pipeline) throws(PipelineFileError) {
    let keys = try setting.mapping(keys: ["learns_from", "features", "compat"])
    let source = try setting.required("learns_from", in: keys)
    learnsFrom = try source.interaction(pipeline).name
    if let compatibility = keys["compat"] {
      self.compatibility = try compatibility.choice(Pipeline.Compatibility.self)
    }
    let candidates = try source.interaction(pipeline).candidate.entity
    guard let entity = pipeline.entity(candidates) else {
      throw source.mistake("there is no entity '\(candidates)'")
    }
    let list = try setting.required("features", in: keys)
    features = []
    for element in try list.elements() {
      let feature = try Pipeline.Feature(element, entity)
      guard !features.contains(feature) else { throw element.mistake("this feature stands twice") }
      features.append(feature)
    }
    guard !features.isEmpty else { throw list.mistake("'\(list.path)' names no feature") }
  }
}
