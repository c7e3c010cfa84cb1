internal import Geohash

// Reads the entries of `rankings` except catalogs: rankings and lists of matches.

extension Setting {
  func interaction(_ pipeline: Pipeline) throws(PipelineFileError) -> Pipeline.Interaction {
    let name = try text()
    guard let interaction = pipeline.interaction(name) else {
      throw unknown(name, among: pipeline.interactions.map(\.name), called: "kind of interaction")
    }
    return interaction
  }
}

extension Pipeline.Model? {
  /// The default of `minimum_score`: 0 for the method `createml` and for a ranking without a model. Other
  /// methods have no minimum, so that a user with only low scores still gets the best candidates.
  fileprivate var defaultMinimumScore: Double {
    self.map { $0.method == .createml } ?? true ? 0 : -.infinity
  }
}

extension Pipeline.Ranking {
  init(_ name: String, _ setting: Setting, _ pipeline: Pipeline) throws(PipelineFileError) {
    let keys = try setting.mapping(keys: [
      "users", "for", "candidates", "within_km", "within_candidates_km", "per", "asked", "only",
      "free_within",
      "not_over",
      "wishes", "all_of", "among", "exclude",
      "order_by", "minimum_score", "top", "show", "round_distance", "model", "pending", "mutual", "friends",
      "catalog", "exposure",
    ])
    let names = pipeline.entities.map(\.name)
    self.name = name
    users = try setting.required("users", in: keys).entityName(names)
    candidates = try setting.required("candidates", in: keys).entityName(names)
    guard let userEntity = pipeline.entity(users), let entity = pipeline.entity(candidates) else {
      preconditionFailure("the entity names were checked before")
    }
    exclusions = []
    audience = try keys["for"]?.conditions(on: userEntity) ?? []
    let model = try pipeline.model(for: keys, setting, users: users, candidates: candidates)
    self.model = model?.name
    order =
      try keys["order_by"].map { (order) throws(PipelineFileError) in
        try Pipeline.Order(order, users: userEntity.name, entity, pipeline)
      } ?? (model == nil ? .distance : .score)
    // Pending candidates and candidates by discovery are listed even with a low score.
    minimumScore =
      try keys["minimum_score"]?.number()
      ?? (keys["pending"] == nil && order.discoveredKind == nil ? model.defaultMinimumScore : -.infinity)
    top = try keys["top"]?.integer(1...1000) ?? 10
    try readReach(keys, userEntity, entity, pipeline)
    try readWords(keys, userEntity, entity)
    try readConditions(keys, entity)
    try readWishes(keys, userEntity, entity)
    try readExclusions(keys, pipeline)
    // This exclusion comes last, so that the funnel counts it only for candidates that no other exclusion
    // removes.
    if let asked { exclusions.append(.unasked(user: asked)) }
    try readChoice(keys, pipeline)
    if order.usesScores { try checkModel(keys["model"] ?? keys["order_by"] ?? setting, model, pipeline) }
    if order.usesCreation { try checkNewest(keys["order_by"] ?? setting, pipeline) }
    exposure = try keys["exposure"].map { (setting) throws(PipelineFileError) in
      try self.exposure(setting, pipeline)
    }
    if let show = keys["show"] { shown = try show.shownFields(of: entity) }
    if let rounding = keys["round_distance"] {
      distanceRounding = try rounding.choice(Pipeline.DistanceRounding.self)
    }
  }

  /// Reads the maximum distances: `within_km` and `within_candidates_km`.
  private mutating func readReach(
    _ keys: [String: Setting], _ userEntity: Pipeline.Entity, _ entity: Pipeline.Entity, _ pipeline: Pipeline
  ) throws(PipelineFileError) {
    if let radius = keys["within_km"] {
      (radiusInKilometers, radiusAttribute) = try radius.radius(
        users: users, candidates: candidates, pipeline)
    }
    if let reach = keys["within_candidates_km"] {
      candidateRadiusAttribute = try reach.number(of: entity)
      for other in [userEntity, entity] where !other.hasPosition {
        throw reach.mistake(
          "'\(reach.path)' needs positions, but the entity '\(other.name)' has none",
          advice: "Add positions to the entity, or remove 'within_candidates_km'.")
      }
    }
  }

  /// Reads `per` (the attribute whose words have separate lists) and `asked` (the attribute with the words
  /// that a user asks for).
  private mutating func readWords(
    _ keys: [String: Setting], _ userEntity: Pipeline.Entity, _ entity: Pipeline.Entity
  ) throws(PipelineFileError) {
    if let per = keys["per"] {
      let name = try per.categoryOrTags(of: entity)
      self.per = name
      exclusions.append(.unless(.known(name)))
    }
    if let asked = keys["asked"] {
      guard per != nil else {
        throw asked.mistake(
          "'\(asked.path)' selects the words whose lists a user gets, so it needs 'per'",
          advice:
            "Add 'per: ATTRIBUTE' with a category or tags attribute. For one list of candidates with all tags, use 'all_of'."
        )
      }
      self.asked = try asked.tags(of: userEntity)
    }
  }

  /// Reads the conditions on candidates that are the same for all users: `only`, `free_within` and
  /// `not_over`.
  private mutating func readConditions(
    _ keys: [String: Setting], _ entity: Pipeline.Entity
  ) throws(PipelineFileError) {
    for condition in try keys["only"]?.conditions(on: entity) ?? [] { exclusions.append(.unless(condition)) }
    if let free = keys["free_within"] { exclusions.append(.unless(try free.freeWithin(entity))) }
    if let over = keys["not_over"] { exclusions.append(.unless(try over.notOver(entity))) }
  }

  /// Reads the conditions on candidates that depend on the user: `wishes` and `all_of`.
  private mutating func readWishes(
    _ keys: [String: Setting], _ userEntity: Pipeline.Entity, _ entity: Pipeline.Entity
  ) throws(PipelineFileError) {
    for wish in try keys["wishes"]?.wishes(of: userEntity, for: entity) ?? [] {
      exclusions.append(.unwished(wish))
    }
    if let tags = keys["all_of"] {
      let wish = try tags.allOf(userEntity, entity)
      guard !exclusions.contains(.unwished(wish)) else {
        throw tags.mistake(
          "'wishes' already contains the same condition as \(tags.label)", advice: "Remove one of the two.")
      }
      exclusions.append(.unwished(wish))
    }
  }

  /// Reads `exclude`.
  private mutating func readExclusions(
    _ keys: [String: Setting], _ pipeline: Pipeline
  ) throws(PipelineFileError) {
    for element in try keys["exclude"]?.elements() ?? [] {
      guard element.isMapping else {
        exclusions.append(try element.exclusion(users: users, candidates: candidates, pipeline))
        continue
      }
      interactedKinds = try element.interactedKinds(users: users, candidates: candidates, pipeline)
      guard !exclusions.contains(.interacted) else {
        throw element.mistake(
          "'interacted' occurs twice in 'rankings.\(name).exclude'", advice: "Remove one of them.")
      }
      exclusions.append(.interacted)
    }
  }

  /// Reads `pending` (candidates who are waiting for an answer) or `among` (candidates that the user chose).
  private mutating func readChoice(
    _ keys: [String: Setting], _ pipeline: Pipeline
  ) throws(PipelineFileError) {
    if let setting = keys["pending"] { pending = try pending(setting, pipeline) }
    if let setting = keys["among"] {
      guard pending == nil else {
        throw setting.mistake("'among' and 'pending' cannot be used together", advice: "Remove one of them.")
      }
      among = try Pipeline.Choice(setting, users: users, candidates: candidates, pipeline)
    }
  }

  private func checkNewest(_ setting: Setting, _ pipeline: Pipeline) throws(PipelineFileError) {
    guard pipeline.entity(candidates)?.created != nil else {
      throw setting.mistake(
        "the order 'newest' of the ranking '\(name)' needs creation times, but the entity '\(candidates)' has no 'created'",
        advice: "Add 'created: FIELD' to the entity.")
    }
  }

  static func radius(_ setting: Setting, _ names: [String], _ pipeline: Pipeline)
    throws(PipelineFileError) -> Double
  {
    let radius = try setting.number(above: 0, atMost: 20_038)
    for name in names where pipeline.entity(name)?.hasPosition != true {
      throw setting.mistake(
        "'\(setting.path)' needs positions, but the entity '\(name)' has none",
        advice:
          "Add 'position: { latitude: ..., longitude: ... }' or check-ins to the entity, or remove the radius."
      )
    }
    let precision = pipeline.coarsestPrecision(of: names)
    let diagonal = Geohash.largestDiagonalInKilometers(atPrecision: precision)
    guard radius >= 5 * diagonal else {
      let finer = (precision...12).first {
        radius >= 5 * Geohash.largestDiagonalInKilometers(atPrecision: $0)
      }
      throw setting.mistake(
        "'\(setting.path)' is \(radius) km, but must be at least \(((50 * diagonal).rounded(.up) / 10)) km, which is five diagonals of a cell of precision \(precision)",
        advice: finer.map { "Increase the radius, or set privacy.snap_positions_to to \($0)." }
          ?? "Increase the radius.")
    }
    return radius
  }

  /// Reads `exposure`. The ranking must be allowed to leave candidates out of its lists, so `pending` and
  /// `among` are rejected.
  private func exposure(
    _ setting: Setting, _ pipeline: Pipeline
  ) throws(PipelineFileError) -> Pipeline.ExposureLimits {
    let limits = try Pipeline.ExposureLimits(setting)
    guard pending == nil, among == nil else {
      let key = pending == nil ? "among" : "pending"
      throw setting.mistake(
        "'exposure' and '\(key)' cannot be used together, because a ranking with '\(key)' must show all of its candidates",
        advice: "Remove one of them.")
    }
    guard case .likes = limits.ceiling else { return limits }
    guard order == .score || order.mutual != nil, let model = pipeline.model(of: self),
      let kind = pipeline.interaction(model.learnsFrom)
    else {
      throw setting.mistake(
        "'at_most: { likes: ... }' of \(setting.label) needs the probability of a like for each entry, but the order of '\(name)' does not predict it",
        advice: "Use the order 'score' or 'mutual', or set 'at_most' to a number of lists.")
    }
    try kind.requireChances(model, setting, for: "'at_most: { likes: ... }'")
    return limits
  }

  /// Reads `pending`: the name of a kind of requests or interactions whose users are the candidates of this
  /// ranking.
  private func pending(_ setting: Setting, _ pipeline: Pipeline) throws(PipelineFileError) -> Pipeline.Pending
  {
    let name = try setting.text()
    let (asker, asked, pending): (String, String, Pipeline.Pending)
    if let kind = pipeline.interaction(name) {
      try kind.requireLikes(setting)
      (asker, asked, pending) = (kind.user.entity, kind.candidate.entity, .likes(name))
    } else if let kind = pipeline.requests(name) {
      (asker, asked, pending) = (kind.user.entity, pipeline.addressee(of: kind), .requests(name))
    } else {
      throw setting.unknown(
        name, among: pipeline.requests.map(\.name) + pipeline.interactions.map(\.name),
        called: "kind of requests or interactions")
    }
    guard asked == users, asker == candidates else {
      throw setting.mistake(
        "'\(name)' goes from '\(asker)' to '\(asked)', but this list shows '\(candidates)' to '\(users)'",
        advice: "Name requests or interactions that go from '\(candidates)' to '\(users)'.")
    }
    return pending
  }

  private func checkModel(
    _ setting: Setting, _ model: Pipeline.Model?, _ pipeline: Pipeline
  ) throws(PipelineFileError) {
    guard let model, let kind = pipeline.interaction(model.learnsFrom) else {
      throw setting.mistake(
        "the ranking '\(name)' is ordered by score, but no model can score '\(candidates)' for '\(users)'",
        advice: "Add such a model, or use another order.")
    }
    guard kind.user.entity == users, kind.candidate.entity == candidates else {
      throw setting.mistake(
        "the model learns how '\(kind.user.entity)' like '\(kind.candidate.entity)', so it cannot score '\(candidates)' for '\(users)'",
        advice: "Name another model, or use another order.")
    }
    if order.mutual != nil { try kind.requireChances(model, setting) }
  }
}

extension Setting {
  func requests(_ pipeline: Pipeline) throws(PipelineFileError) -> Pipeline.Requests {
    let name = try text()
    guard let requests = pipeline.requests(name) else {
      throw unknown(name, among: pipeline.requests.map(\.name), called: "kind of requests")
    }
    return requests
  }
}

extension Pipeline.MatchList {
  /// Reads `{ mutual: INTERACTION }` or `{ friends: REQUESTS }`.
  init(_ name: String, _ setting: Setting, _ pipeline: Pipeline) throws(PipelineFileError) {
    self.name = name
    if setting.value(of: "friends") != nil {
      let keys = try setting.mapping(keys: ["friends"])
      origin = .accepted(try setting.required("friends", in: keys).requests(pipeline).name)
      return
    }
    let keys = try setting.mapping(keys: ["mutual"])
    let kind = try setting.required("mutual", in: keys).interaction(pipeline)
    guard kind.user.entity == kind.candidate.entity else {
      throw setting.mistake(
        "'\(kind.name)' goes from '\(kind.user.entity)' to '\(kind.candidate.entity)', so it cannot be mutual",
        advice: "Name a kind of interaction whose users and candidates are the same entity.")
    }
    try kind.requireLikes(setting)
    origin = .mutual(kind.name)
  }
}
