internal import RunSchemas

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
  private static let words = ["position", "distance", "received_like_rate", "activity", "recency"]
  private static let keys = [
    "category", "number", "same", "difference", "overlap", "received_like_rate", "geohash", "text", "age",
    "weekday", "follows",
  ]

  private func feature(_ setting: Setting) throws(PipelineFileError) -> Pipeline.Feature {
    guard setting.isMapping else { return try feature(word: setting) }
    let keys = try setting.mapping(keys: Self.keys)
    guard let (kind, value) = keys.first, keys.count == 1 else {
      throw setting.mistake("a feature has exactly one key: \(Self.keys.joined(separator: ", "))")
    }
    switch kind {
    case "category": return .category(try attribute(value, of: candidates, [.category]))
    case "number": return try number(value)
    case "same": return .same(try pair(value, [.category]))
    case "difference": return try difference(value)
    case "overlap": return .overlap(try pair(value, [.tags]))
    case "weekday": return .weekday(try attribute(value, of: candidates, [.date]))
    case "age": return .age(try attribute(value, of: candidates, [.date]))
    case "follows": return .follows(try follows(value))
    case "geohash": return try geohash(value)
    case "text": return try text(value)
    default: return .receivedLikeRate(try receivedLikeRate(value))
    }
  }

  private func feature(word setting: Setting) throws(PipelineFileError) -> Pipeline.Feature {
    let word = try setting.text()
    switch word {
    case "position":
      try requirePosition(setting, of: candidates, word)
      return .position
    case "distance":
      for entity in [candidates, users] { try requirePosition(setting, of: entity, word) }
      return .distance
    case "received_like_rate":
      try interaction.requireLikes(setting)
      return .receivedLikeRate(Pipeline.ReceivedLikeRate(interaction: interaction.name))
    case "activity", "recency":
      guard !pipeline.interactions(by: candidates.name).isEmpty else {
        throw setting.mistake(
          "the feature '\(word)' tells what candidates do, and no kind of interaction has "
            + "'\(candidates.name)' as its user")
      }
      return word == "activity" ? .activity : .recency
    case _ where Self.keys.contains(word):
      throw setting.mistake(
        "the feature '\(word)' needs a value", advice: "Write '\(word): ...' as pipelines/README.md has it.")
    default:
      let others = Self.keys.filter { !Self.words.contains($0) }
      throw setting.unknown(word, among: Self.words + others, called: "feature")
    }
  }

  private func requirePosition(_ setting: Setting, of entity: Pipeline.Entity, _ feature: String)
    throws(PipelineFileError)
  {
    guard !entity.hasPosition else { return }
    throw setting.mistake("the feature '\(feature)' needs a position, which '\(entity.name)' has not")
  }

  /// A kind of interaction of the users, with the candidates or with those whom these belong to.
  private func follows(_ setting: Setting) throws(PipelineFileError) -> Pipeline.Choice {
    let kind = try setting.interaction(pipeline)
    try kind.requireLikes(setting)
    let owner = candidates.owner?.entity
    guard kind.user.entity == users.name, [candidates.name, owner].contains(kind.candidate.entity) else {
      let others = owner.map { " or with '\($0)', whom these belong to" } ?? ""
      throw setting.mistake(
        "'\(kind.name)' go from '\(kind.user.entity)' to '\(kind.candidate.entity)', and this needs those of '\(users.name)' with '\(candidates.name)'\(others)"
      )
    }
    return kind.candidate.entity == candidates.name ? .liked(by: kind.name) : .owned(by: kind.name)
  }

  /// `{ precision: 4 }`
  private func geohash(_ setting: Setting) throws(PipelineFileError) -> Pipeline.Feature {
    try requirePosition(setting, of: candidates, "geohash")
    let keys = try setting.mapping(keys: ["precision"])
    // Finer cells than those whose centres stand for positions would be the same ones under longer names.
    let finest = pipeline.privacy.snapPrecision
    return .geohash(precision: try setting.required("precision", in: keys).integer(1...finest))
  }

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
      try kind.requireLikes(setting)
      rate.interaction = kind.name
      rate.isLearnedFrom = kind.name == interaction.name
    }
    if keys["of"] == nil { try interaction.requireLikes(setting) }
    if let smoothing = keys["smoothing"] {
      rate.smoothing = try smoothing.number(above: 0, atMost: 1_000_000)
    }
    if let adjusted = keys["adjusted"] { rate.isAdjusted = try adjusted.boolean() }
    return rate
  }
}
