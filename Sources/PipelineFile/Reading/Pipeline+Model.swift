internal import RunSchemas

// Reads `model`, or an entry of `models`: the interactions, the features and the learning method.

extension Pipeline.Model {
  init(_ setting: Setting, _ pipeline: Pipeline) throws(PipelineFileError) {
    let keys = try setting.mapping(keys: [
      "learns_from", "features", "prior", "l2", "choose", "compat", "negatives",
    ])
    let source = try setting.required("learns_from", in: keys)
    let interaction = try source.interaction(pipeline)
    learnsFrom = interaction.name
    guard let users = pipeline.entity(interaction.user.entity) else {
      throw source.mistake("the entity of the users of '\(interaction.name)' is missing")
    }
    features = try Pipeline.Feature.list(
      setting.required("features", in: keys), FeatureSettings(interaction, pipeline))
    method = try Pipeline.Method(keys, users)
    if let setting = keys["negatives"] {
      negatives = try Pipeline.Negatives(setting, interaction, features, pipeline)
    }
    if let choose = keys["choose"] {
      _ = try choose.choice(Choice.self)
      guard case .population = method else {
        throw choose.mistake(
          "'\(choose.path)' chooses how much people may differ from the population, so it needs 'prior: population'",
          advice: "Add 'prior: population', or remove 'choose'.")
      }
      isChosenWithinLearning = true
    }
  }

  private enum Choice: String, CaseIterable { case withinLearning = "within_learning" }
}

extension Pipeline.Method {
  private enum Compatibility: String, CaseIterable { case createml }
  private enum Prior: String, CaseIterable { case population, everybody }

  /// Reads the learning method from the `keys` of a model. `users` is the entity of the users of the model.
  fileprivate init(_ keys: [String: Setting], _ users: Pipeline.Entity) throws(PipelineFileError) {
    if let compatibility = keys["compat"] {
      _ = try compatibility.choice(Compatibility.self)
      for key in ["prior", "l2", "choose"] where keys[key] != nil {
        throw compatibility.mistake(
          "'\(compatibility.path)' sets the whole learning method, so '\(key)' has no effect",
          advice: "Remove one of the two.")
      }
    }
    let penalty = try keys["l2"].map { (l2) throws(PipelineFileError) in try Pipeline.Penalty(l2) }
    guard let prior = keys["prior"] else {
      self = penalty.map(Pipeline.Method.ridge) ?? .createml
      return
    }
    let (kind, group) = try Self.prior(prior, users)
    switch kind {
    case .everybody:
      self = .everybody(penalty ?? .automatic)
    case .population:
      if let l2 = keys["l2"] {
        throw l2.mistake(
          "'\(l2.path)' has no effect with 'prior: population', which learns how much people differ",
          advice: "Remove one of the two.")
      }
      self = .population(by: group)
    }
  }

  /// Reads `population`, `everybody`, `{ population: by ATTRIBUTE }` or `{ population: ATTRIBUTE }`.
  private static func prior(_ setting: Setting, _ users: Pipeline.Entity) throws(PipelineFileError) -> (
    Prior, String?
  ) {
    guard setting.isMapping else { return (try setting.choice(Prior.self), nil) }
    let keys = try setting.mapping(keys: [Prior.population.rawValue])
    let by = try setting.required(Prior.population.rawValue, in: keys)
    let words = try by.text().split(separator: " ")
    let name = String((words.first == "by" ? words.dropFirst() : words[...]).joined(separator: " "))
    let valid = users.attributes.filter { $0.type == .category }.map(\.name)
    guard valid.contains(name) else {
      throw by.unknown(name, among: valid, called: "category attribute", of: users.name)
    }
    return (.population, name)
  }
}

extension Pipeline.Penalty {
  init(_ setting: Setting) throws(PipelineFileError) {
    if (try? setting.text()) == "auto" {
      self = .automatic
      return
    }
    guard let value = try? setting.number(), (1e-9...1e12).contains(value) else {
      throw setting.mistake(
        "'\(setting.path)' must be 'auto' or a number from 1e-9 to 1e12, not \(setting.kind)")
    }
    self = .fixed(value)
  }
}
