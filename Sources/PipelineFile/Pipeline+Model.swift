// How the pipeline file describes the model.

extension Pipeline.Model {
  init(_ setting: Setting, _ pipeline: Pipeline) throws(PipelineFileError) {
    let keys = try setting.mapping(keys: ["learns_from", "features", "compat"])
    let source = try setting.required("learns_from", in: keys)
    learnsFrom = try source.interaction(pipeline).name
    if let compatibility = keys["compat"] {
      self.compatibility = try compatibility.choice(Pipeline.Compatibility.self)
    }
    features = try FeatureSettings(source.interaction(pipeline), pipeline)
      .features(setting.required("features", in: keys))
  }
}
