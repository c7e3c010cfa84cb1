internal import RunSchemas

// The candidates that a list excludes: `exclude: [self, interacted, friends, not available]`.

extension Pipeline {
  package enum Exclusion: Hashable, Sendable {
    /// The user, and candidates that are related to the user by ownership: see `OwnCandidates`.
    case oneself
    /// Candidates that the user has interacted with.
    case interacted
    /// Candidates whose latest interaction with the user is a pass.
    case vetoed
    /// Friends of the user, and the candidates that friends own. An accepted request makes its two sides
    /// friends.
    case friends
    /// Candidates whose flag is set.
    case flagged(String)
    /// Candidates whose flag is false or missing.
    case notFlagged(String)
    /// Candidates that do not meet a wish of the user.
    case unwished(Wish)
    /// Candidates that have none of the words that the user asks for. `user` is the users' attribute with
    /// these words.
    case unasked(user: String)
    /// Candidates that do not meet a condition.
    case unless(Condition)
  }
}

extension Setting {
  /// Reads one exclusion of a ranking of `candidates` for `users`.
  func exclusion(users: String, candidates: String, _ pipeline: Pipeline) throws(PipelineFileError)
    -> Pipeline.Exclusion
  {
    let words = ["self", "interacted", "vetoed", "friends"]
    switch try text() {
    case "self": return .oneself
    case "interacted":
      try requireInteractions(of: users, with: candidates, pipeline)
      return .interacted
    case "vetoed":
      for kind in try requireInteractions(of: candidates, with: users, pipeline) {
        try kind.requireLikes(self)
      }
      return .vetoed
    case "friends":
      try requireFriends(of: users, among: candidates, pipeline)
      return .friends
    default: return try flagExclusion(of: pipeline.entity(candidates), besides: words)
    }
  }

  /// Reads the name of a tags attribute of `entity`.
  func tags(of entity: Pipeline.Entity) throws(PipelineFileError) -> String {
    let name = try text()
    let valid = entity.attributes.filter { $0.type == .tags }.map(\.name)
    guard valid.contains(name) else {
      throw unknown(name, among: valid, called: "tags attribute", of: entity.name)
    }
    return name
  }

  /// Reads `{ interacted: INTERACTION }` or `{ interacted: [INTERACTION, ...] }`. Only the named kinds of
  /// interaction exclude candidates.
  func interactedKinds(
    users: String, candidates: String, _ pipeline: Pipeline
  ) throws(PipelineFileError) -> [String] {
    let kinds = try required("interacted", in: mapping(keys: ["interacted"]))
    let valid = try requireInteractions(of: users, with: candidates, pipeline).map(\.name)
    var chosen: [String] = []
    for element in kinds.isSequence ? try kinds.elements() : [kinds] {
      let name = try element.text()
      guard valid.contains(name) else {
        throw element.unknown(name, among: valid, called: "kind of interaction")
      }
      chosen.append(name)
    }
    guard !chosen.isEmpty else {
      throw kinds.mistake(
        "\(kinds.label) names no kind of interaction",
        advice: "Name at least one kind, or write 'interacted' alone to exclude candidates after any kind of "
          + "interaction.")
    }
    return chosen
  }

  /// Reads `FLAG` or `not FLAG`.
  func flagExclusion(
    of entity: Pipeline.Entity?, besides words: [String] = []
  ) throws(PipelineFileError) -> Pipeline.Exclusion {
    let text = try text()
    let flags = entity?.attributes.filter { $0.type == .flag }.map(\.name) ?? []
    if flags.contains(text) { return .flagged(text) }
    let parts = text.split(separator: " ")
    if parts.count == 2, parts[0] == "not", flags.contains(String(parts[1])) {
      return .notFlagged(String(parts[1]))
    }
    throw unknown(
      text, among: words + flags + flags.map { "not " + $0 },
      called: words.isEmpty ? "flag" : "exclusion or flag", of: words.isEmpty ? entity?.name : nil)
  }

  @discardableResult
  private func requireInteractions(
    of giver: String, with receiver: String, _ pipeline: Pipeline
  ) throws(PipelineFileError) -> [Pipeline.Interaction] {
    let kinds = pipeline.interactions.filter { $0.user.entity == giver && $0.candidate.entity == receiver }
    guard !kinds.isEmpty else {
      throw mistake(
        "\(label) needs interactions of '\(giver)' with '\(receiver)', but the pipeline file has none",
        advice: "Add such interactions, or remove the exclusion.")
    }
    return kinds
  }

  private func requireFriends(
    of users: String, among candidates: String, _ pipeline: Pipeline
  ) throws(PipelineFileError) {
    let kinds = [candidates, pipeline.entity(candidates)?.owner?.entity]
    let exists = pipeline.requests.contains { kind in
      let addressee = pipeline.addressee(of: kind)
      return kind.user.entity == users && kinds.contains(addressee)
        || addressee == users && kinds.contains(kind.user.entity)
    }
    guard exists else {
      throw mistake(
        "\(label) needs 'requests' between '\(users)' and '\(candidates)' or their owners, but the pipeline file has none",
        advice: "Add such requests, or remove the exclusion.")
    }
  }
}
