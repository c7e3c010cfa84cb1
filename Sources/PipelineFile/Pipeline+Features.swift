internal import Tables

// How the pipeline file describes what a model knows of a candidate.

extension Pipeline.Feature {
  /// `position`, `distance`, `category: ATTRIBUTE` or `number: ATTRIBUTE`.
  init(_ setting: Setting, _ entity: Pipeline.Entity) throws(PipelineFileError) {
    guard setting.isMapping else {
      let name = try setting.text()
      guard name == "position" || name == "distance" else {
        throw setting.unknown(name, among: ["position", "distance", "category", "number"], called: "feature")
      }
      guard entity.position != nil else {
        throw setting.mistake("the feature '\(name)' needs a position, which '\(entity.name)' has not")
      }
      self = name == "position" ? .position : .distance
      return
    }
    let keys = try setting.mapping(keys: ["category", "number"])
    guard let (kind, value) = keys.first, keys.count == 1 else {
      throw setting.mistake("a feature has exactly one key: category or number")
    }
    let name = try value.text()
    let type: AttributeType = kind == "category" ? .category : .number
    let fitting = entity.attributes.filter { $0.type == type }.map(\.name)
    guard fitting.contains(name) else {
      throw value.unknown(name, among: fitting, called: "\(type) attribute of '\(entity.name)'")
    }
    self = kind == "category" ? .category(name) : .number(name)
  }
}
