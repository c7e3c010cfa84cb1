internal import RunSchemas

// The order of candidates: `order_by: score`, or several keys: `order_by: [rating desc, price asc,
// distance]`.

extension Pipeline {
  package enum Order: Hashable, Sendable {
    case score, distance
    /// By creation time, newest first.
    case newest
    /// By sort keys: each key orders the candidates that are equal in all earlier keys. The distance is the
    /// last key of every order.
    case keys([OrderKey])
    /// By discovery scores, which are computed from the likes of this kind of interaction.
    case discovery(of: String)
    /// By the chance that user and candidate like each other, from the scores of both.
    case mutual(MutualOrder)

    /// Whether the order needs the scores of a model.
    package var usesScores: Bool {
      switch self {
      case .score, .mutual: true
      case .keys(let keys): keys.contains(.score)
      case .distance, .newest, .discovery: false
      }
    }

    /// The kind of interaction from whose likes the discovery scores are computed; `nil` for another order.
    package var discoveredKind: String? {
      guard case .discovery(of: let kind) = self else { return nil }
      return kind
    }

    /// The settings of the order `mutual`; `nil` for another order.
    package var mutual: MutualOrder? {
      guard case .mutual(let settings) = self else { return nil }
      return settings
    }

    /// Whether the order needs the creation times of candidates.
    var usesCreation: Bool {
      switch self {
      case .newest: true
      case .keys(let keys): keys.contains(.newest)
      case .score, .distance, .discovery, .mutual: false
      }
    }
  }

  /// One sort key of candidates. Candidates without a value come last.
  package enum OrderKey: Hashable, Sendable {
    /// By score, highest first.
    case score
    /// By distance, nearest first.
    case distance
    case newest
    /// By a number or date attribute of the candidates.
    case attribute(String, isDescending: Bool)
  }
}

extension Pipeline.Order {
  /// Reads `discovery`, `{ discovery: INTERACTION }`, `mutual` or `{ mutual: {...} }` for lists of
  /// `candidates` for `users`. `init(_:_:)` reads the other orders.
  init(
    _ setting: Setting, users: String, _ candidates: Pipeline.Entity, _ pipeline: Pipeline
  ) throws(PipelineFileError) {
    guard setting.isMapping else {
      switch setting.isSequence ? nil : try? setting.text() {
      case Self.discoveryKey: self = try Self.discovery(setting, users: users, candidates, pipeline)
      case Self.mutualKey: self = try Self.mutual(setting, .init(), users: users, candidates)
      default: self = try Self(setting, candidates)
      }
      return
    }
    let keys = try setting.mapping(keys: [Self.discoveryKey, Self.mutualKey])
    if let mutual = keys[Self.mutualKey] {
      if keys[Self.discoveryKey] != nil {
        throw setting.mistake(
          "\(setting.label) has both '\(Self.discoveryKey)' and '\(Self.mutualKey)'",
          advice: "Choose one of them.")
      }
      self = try Self.mutual(setting, .init(mutual), users: users, candidates)
      return
    }
    let named = try setting.required(Self.discoveryKey, in: keys)
    let kind = try named.interaction(pipeline)
    guard Self.fitting(users, candidates, pipeline).contains(where: { $0.name == kind.name }) else {
      throw named.mistake(
        "'\(kind.name)' goes from '\(kind.user.entity)' to '\(kind.candidate.entity)', but this list shows '\(candidates.name)' to '\(users)'",
        advice: "Name a kind of interaction of '\(users)' with '\(candidates.name)', or use another order.")
    }
    try kind.requireLikes(named)
    self = .discovery(of: kind.name)
  }

  /// Reads the order `discovery` without a kind of interaction. The pipeline file must have exactly one kind
  /// of interaction of `users` with `candidates`.
  private static func discovery(
    _ setting: Setting, users: String, _ candidates: Pipeline.Entity, _ pipeline: Pipeline
  ) throws(PipelineFileError) -> Self {
    let fitting = fitting(users, candidates, pipeline)
    guard fitting.count == 1 else {
      throw setting.mistake(
        "'\(setting.path)' needs exactly one kind of interaction of '\(users)' with '\(candidates.name)', but the pipeline file has \(fitting.count)",
        advice: fitting.isEmpty
          ? "Use another order."
          : "Write { discovery: KIND }; valid here: \(fitting.map(\.name).sorted().joined(separator: ", "))."
      )
    }
    try fitting[0].requireLikes(setting)
    return .discovery(of: fitting[0].name)
  }

  /// Returns the kinds of interaction of `users` with `candidates`.
  private static func fitting(
    _ users: String, _ candidates: Pipeline.Entity, _ pipeline: Pipeline
  ) -> [Pipeline.Interaction] {
    pipeline.interactions.filter { $0.user.entity == users && $0.candidate.entity == candidates.name }
  }

  private static func mutual(
    _ setting: Setting, _ settings: Pipeline.MutualOrder, users: String, _ candidates: Pipeline.Entity
  ) throws(PipelineFileError) -> Self {
    guard users == candidates.name else {
      throw setting.mistake(
        "the order 'mutual' needs users who are candidates too, but this list shows '\(candidates.name)' to '\(users)'",
        advice: "Use another order, such as 'score'.")
    }
    return .mutual(settings)
  }

  private static let discoveryKey = "discovery"
  private static let mutualKey = "mutual"

  /// Reads `score`, `distance`, `newest`, an attribute of `candidates`, or a list of these. An attribute can
  /// have a direction, `asc` (the default) or `desc`.
  init(_ setting: Setting, _ candidates: Pipeline.Entity) throws(PipelineFileError) {
    let keys = try setting.orderKeys(
      of: candidates, words: ["score": .score, "distance": .distance, "newest": .newest])
    // The distance is the last key of every order, so it is not stored.
    let significant = keys.count > 1 && keys.last == .distance ? Array(keys.dropLast()) : keys
    switch significant {
    case [.score]: self = .score
    case [.distance]: self = .distance
    case [.newest]: self = .newest
    default: self = .keys(significant)
    }
  }
}

extension Setting {
  /// The maximum number of sort keys. The limit keeps each comparison fast. Realistic orders have fewer keys.
  private static let mostKeys = 8

  /// Reads one of `words`, an attribute of `candidates`, or a list of these. An attribute can have a
  /// direction, `asc` (the default) or `desc`.
  func orderKeys(
    of candidates: Pipeline.Entity, words: [String: Pipeline.OrderKey]
  ) throws(PipelineFileError) -> [Pipeline.OrderKey] {
    var keys: [Pipeline.OrderKey] = []
    for element in isSequence ? try elements() : [self] {
      let key = try element.orderKey(candidates, words)
      guard !keys.contains(where: { $0.name == key.name }) else {
        throw element.mistake(
          "'\(key.name.prefix { $0 != " " })' occurs twice in \(label), so the second one has no effect",
          advice: "Remove the second one.")
      }
      keys.append(key)
    }
    guard (1...Self.mostKeys).contains(keys.count) else {
      throw mistake("\(label) must have 1 to \(Self.mostKeys) keys, not \(keys.count)")
    }
    return keys
  }

  private func orderKey(
    _ candidates: Pipeline.Entity, _ words: [String: Pipeline.OrderKey]
  ) throws(PipelineFileError) -> Pipeline.OrderKey {
    let parts = try text().split(separator: " ")
    let name = String(parts.first ?? "")
    let attributes =
      (candidates.numberNames + candidates.attributes.filter { $0.type == .date }.map(\.name)).sorted()
    // An attribute can have a name such as `distance`. The name refers to the attribute only if a direction
    // follows.
    if parts.count == 1, let key = words[name] { return key }
    if !attributes.contains(name), words[name] != nil {
      throw mistake("'\(name)' has a fixed direction", advice: "Write '\(name)' alone.")
    }
    guard attributes.contains(name) else {
      throw unknown(
        name, among: words.keys.sorted() + attributes,
        called: "order key")
    }
    let direction = parts.dropFirst().joined(separator: " ")
    guard ["", "asc", "desc"].contains(direction) else {
      throw unknown(direction, among: ["asc", "desc"], called: "direction")
    }
    return .attribute(name, isDescending: direction == "desc")
  }
}

extension Pipeline.OrderKey {
  fileprivate var name: String {
    switch self {
    case .score: "score"
    case .distance: "distance"
    case .newest: "newest"
    // The trailing space distinguishes an attribute from a word such as `score`.
    case .attribute(let name, _): name + " "
    }
  }
}
