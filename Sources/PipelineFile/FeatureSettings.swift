internal import Tables

/// Reads `model.features`: what a model knows of a candidate, seen by a user.
struct FeatureSettings {
  let pipeline: Pipeline
  /// What the model learns from.
  let interaction: Pipeline.Interaction
  let users: Pipeline.Entity
  let candidates: Pipeline.Entity

  init(_ interaction: Pipeline.Interaction, _ pipeline: Pipeline) {
    guard let users = pipeline.entity(interaction.user.entity),
      let candidates = pipeline.entity(interaction.candidate.entity)
    else { preconditionFailure("a checked interaction names entities that there are") }
    self.pipeline = pipeline
    self.interaction = interaction
    self.users = users
    self.candidates = candidates
  }

  /// The entries of the list `setting`: one at least, each once.
  func features(_ setting: Setting) throws(PipelineFileError) -> [Pipeline.Feature] {
    var features: [Pipeline.Feature] = []
    for element in try setting.elements() {
      let feature = try feature(element)
      guard !features.contains(feature) else { throw element.mistake("this feature stands twice") }
      for stem in feature.columnStems where features.contains(where: { $0.columnStems.contains(stem) }) {
        throw element.mistake(
          "its columns would be called '\(stem)' like those of another feature",
          advice: "Keep one of them, or give its attribute another name.")
      }
      features.append(feature)
    }
    guard !features.isEmpty else { throw setting.mistake("'\(setting.path)' names no feature") }
    return features
  }

  /// Features that may be a word alone, and those that are a key with a value.
  private static let words = ["position", "distance", "received_like_rate"]
  private static let keys = ["category", "number", "same", "difference", "received_like_rate"]

  private func feature(_ setting: Setting) throws(PipelineFileError) -> Pipeline.Feature {
    guard setting.isMapping else { return try feature(word: setting) }
    let keys = try setting.mapping(keys: Self.keys)
    guard let (kind, value) = keys.first, keys.count == 1 else {
      throw setting.mistake("a feature has exactly one key: \(Self.keys.joined(separator: ", "))")
    }
    switch kind {
    case "category": return .category(try attribute(value, of: candidates, [.category]))
    case "number": return .number(try attribute(value, of: candidates, [.number]))
    case "same": return .same(try pair(value, [.category]))
    case "difference":
      let signed = value.isMapping ? value.value(of: "signed") : nil
      return .difference(
        try pair(value, [.number], besides: ["signed"]), isSigned: try signed?.boolean() ?? false)
    default: return .receivedLikeRate(try receivedLikeRate(value))
    }
  }

  private func feature(word setting: Setting) throws(PipelineFileError) -> Pipeline.Feature {
    let word = try setting.text()
    switch word {
    case "position", "distance":
      for entity in word == "position" ? [candidates] : [candidates, users] where entity.position == nil {
        throw setting.mistake("the feature '\(word)' needs a position, which '\(entity.name)' has not")
      }
      return word == "position" ? .position : .distance
    case "received_like_rate":
      return .receivedLikeRate(Pipeline.ReceivedLikeRate(interaction: interaction.name))
    case _ where Self.keys.contains(word):
      throw setting.mistake(
        "the feature '\(word)' needs a value", advice: "Write '\(word): ...' as pipelines/README.md has it.")
    default:
      let others = Self.keys.filter { !Self.words.contains($0) }
      throw setting.unknown(word, among: Self.words + others, called: "feature")
    }
  }
}

// MARK: Attributes

extension FeatureSettings {
  /// The name of an attribute of `entity` that has one of the `types`.
  func attribute(_ setting: Setting, of entity: Pipeline.Entity, _ types: [AttributeType])
    throws(PipelineFileError) -> String
  {
    let name = try setting.text()
    let fitting = entity.attributes.filter { types.contains($0.type) }.map(\.name)
    guard fitting.contains(name) else {
      let kind = types.map(\.rawValue).joined(separator: " or ")
      throw setting.unknown(name, among: fitting, called: "\(kind) attribute of '\(entity.name)'")
    }
    return name
  }

  /// `ATTRIBUTE` of both, or `{ user: ATTRIBUTE, candidate: ATTRIBUTE }`; the same one of `types`.
  func pair(_ setting: Setting, _ types: [AttributeType], besides others: [String] = [])
    throws(PipelineFileError) -> Pipeline.AttributePair
  {
    guard setting.isMapping else {
      let name = try attribute(setting, of: users, types)
      return Pipeline.AttributePair(user: name, candidate: try candidates(setting, likeUsers: name))
    }
    let keys = try setting.mapping(keys: ["user", "candidate"] + others)
    let user = try attribute(setting.required("user", in: keys), of: users, types)
    let candidate = try candidates(setting.required("candidate", in: keys), likeUsers: user)
    return Pipeline.AttributePair(user: user, candidate: candidate)
  }

  /// The name of a candidates' attribute, of the type that the users' attribute `user` has.
  private func candidates(_ setting: Setting, likeUsers user: String) throws(PipelineFileError) -> String {
    try attribute(setting, of: candidates, users.attribute(user).map { [$0.type] } ?? [])
  }
}

// MARK: Interactions

extension FeatureSettings {
  private func receivedLikeRate(_ setting: Setting) throws(PipelineFileError) -> Pipeline.ReceivedLikeRate {
    let keys = try setting.mapping(keys: ["of", "smoothing", "adjusted"])
    var rate = Pipeline.ReceivedLikeRate(interaction: interaction.name)
    if let setting = keys["of"] {
      let kind = try setting.interaction(pipeline)
      guard kind.candidate.entity == candidates.name else {
        throw setting.mistake(
          "'\(kind.name)' tells how '\(kind.candidate.entity)' are liked, and the model's candidates are "
            + "'\(candidates.name)'")
      }
      rate.interaction = kind.name
      rate.isLearnedFrom = kind.name == interaction.name
    }
    if let smoothing = keys["smoothing"] {
      rate.smoothing = try smoothing.number(above: 0, atMost: 1_000_000)
    }
    if let adjusted = keys["adjusted"] { rate.isAdjusted = try adjusted.boolean() }
    return rate
  }
}
