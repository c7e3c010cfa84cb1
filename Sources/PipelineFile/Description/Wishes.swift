internal import RunSchemas
internal import Yams

// Wishes of users about candidates, each with the user's own values: `wishes: [{ price: { at_most: budget }
// }, { district: wanted }]`.

extension Pipeline {
  /// A requirement that compares an attribute of the candidates with an attribute of the user. The
  /// requirement does not apply to a user without a value. A candidate without a value meets no wish except
  /// `noneOf`.
  package struct Wish: Hashable, Sendable {
    package enum Relation: Hashable, Sendable {
      /// The candidate's number or date is at most, or at least, the user's number or date.
      case atMost, atLeast
      /// The candidate has at least one, all or none of the user's words. For `anyOf` and `noneOf`, either
      /// attribute may be a category with a single word.
      case anyOf, allOf, noneOf
    }

    /// The attribute of the candidates. The property `user` names the attribute of the users.
    package var candidate: String
    package var relation: Relation
    package var user: String

    /// The name under which the funnel counts candidates that do not meet the wish.
    package var name: String {
      switch relation {
      case .atMost: "\(candidate) above \(user)"
      case .atLeast: "\(candidate) below \(user)"
      case .anyOf: "\(candidate) other than \(user)"
      case .allOf: "lacks \(user)"
      case .noneOf: "\(candidate) in \(user)"
      }
    }
  }
}

extension Setting {
  private static let mostWishes = 100

  /// Reads wishes such as `{ ATTRIBUTE: { at_most: OWN } }`, `{ ATTRIBUTE: OWN }` and `{ ATTRIBUTE: { not:
  /// OWN } }`. `OWN` is an attribute of `users`, and `ATTRIBUTE` is an attribute of `candidates`. A single
  /// wish counts as a list of one.
  func wishes(
    of users: Pipeline.Entity, for candidates: Pipeline.Entity
  ) throws(PipelineFileError) -> [Pipeline.Wish] {
    var wishes: [Pipeline.Wish] = []
    for element in isSequence ? try elements() : [self] {
      for (name, value, key) in try element.pairs() {
        for wish in try value.wishes(about: name, at: key, of: users, for: candidates) {
          guard !wishes.contains(wish) else {
            throw value.mistake("\(value.label) repeats an earlier wish", advice: "Remove one of the two.")
          }
          guard !wishes.contains(where: wish.excludes) else {
            throw value.mistake(
              "\(value.label) contradicts an earlier wish, so no candidate meets both",
              advice: "Remove one of the two.")
          }
          wishes.append(wish)
        }
      }
    }
    guard (1...Self.mostWishes).contains(wishes.count) else {
      throw mistake("\(label) must have 1 to \(Self.mostWishes) wishes, not \(wishes.count)")
    }
    return wishes
  }

  private func wishes(
    about name: String, at key: Node, of users: Pipeline.Entity, for candidates: Pipeline.Entity
  ) throws(PipelineFileError) -> [Pipeline.Wish] {
    switch candidates.typeOfCondition(name) {
    case .number: try boundWishes(about: name, users.numberNames, called: "number attribute", of: users.name)
    case .date:
      try boundWishes(about: name, users.names(of: [.date]), called: "date attribute", of: users.name)
    case .category: try wordWishes(about: name, users)
    case .tags: try wordWishes(about: name, users, mayHaveAll: true)
    case .flag, .text, .intervals, nil:
      throw unknownKey(
        name, at: key, among: candidates.conditionNames,
        called: "category, tags, number or date attribute", of: candidates.name)
    }
  }

  /// Reads `{ at_least: OWN, at_most: OWN }` with one or both keys.
  private func boundWishes(
    about name: String, _ valid: [String], called what: String, of users: String
  ) throws(PipelineFileError) -> [Pipeline.Wish] {
    let keys = try boundSettings()
    var wishes: [Pipeline.Wish] = []
    for (key, relation) in [("at_least", Pipeline.Wish.Relation.atLeast), ("at_most", .atMost)] {
      guard let own = keys[key] else { continue }
      wishes.append(
        Pipeline.Wish(
          candidate: name, relation: relation,
          user: try own.ownAttribute(among: valid, called: what, of: users)))
    }
    return wishes
  }

  /// Reads `OWN` or `{ any_of: OWN, all_of: OWN, not: OWN }` with at least one key. `all_of` requires that
  /// both attributes are tags.
  private func wordWishes(
    about name: String, _ users: Pipeline.Entity, mayHaveAll: Bool = false
  ) throws(PipelineFileError) -> [Pipeline.Wish] {
    let (words, kind) = (users.names(of: [.category, .tags]), "category or tags attribute")
    guard isMapping else {
      let own = try ownAttribute(among: words, called: kind, of: users.name)
      return [Pipeline.Wish(candidate: name, relation: .anyOf, user: own)]
    }
    let keys = try mapping(keys: mayHaveAll ? ["any_of", "all_of", "not"] : ["any_of", "not"])
    guard !keys.isEmpty else {
      throw mistake(
        "\(label) names no attribute of '\(users.name)'", advice: "Write one, as in { any_of: ATTRIBUTE }.")
    }
    var wishes: [Pipeline.Wish] = []
    for (key, relation) in [("any_of", Pipeline.Wish.Relation.anyOf), ("all_of", .allOf), ("not", .noneOf)] {
      guard let setting = keys[key] else { continue }
      let own =
        relation == .allOf
        ? try setting.ownAttribute(among: users.names(of: [.tags]), called: "tags attribute", of: users.name)
        : try setting.ownAttribute(among: words, called: kind, of: users.name)
      let wish = Pipeline.Wish(candidate: name, relation: relation, user: own)
      guard !wishes.contains(where: wish.excludes) else {
        throw setting.mistake(
          "\(setting.label) contradicts another wish about '\(own)', so no candidate meets both",
          advice: "Remove one of the two.")
      }
      wishes.append(wish)
    }
    return wishes
  }

  /// Reads the name of an attribute of the users, which must be in `valid`.
  private func ownAttribute(
    among valid: [String], called what: String, of users: String
  ) throws(PipelineFileError) -> String {
    let name = try text()
    if valid.contains(name) { return name }
    var error = unknown(name, among: valid, called: what, of: users)
    // A wish with the same value for all users is a condition.
    error.advice += " Conditions that are the same for all users belong in 'only'."
    throw error
  }

  /// Reads `{ user: TAGS, candidate: TAGS }`: candidates must have all of the user's tags.
  func allOf(
    _ users: Pipeline.Entity, _ candidates: Pipeline.Entity
  ) throws(PipelineFileError) -> Pipeline.Wish {
    let keys = try mapping(keys: ["user", "candidate"])
    var names: [String] = []
    for (key, entity) in [("user", users), ("candidate", candidates)] {
      names.append(try required(key, in: keys).tags(of: entity))
    }
    return Pipeline.Wish(candidate: names[1], relation: .allOf, user: names[0])
  }
}

extension Pipeline.Wish {
  /// Returns whether the wishes contradict each other, so that no candidate can meet both for a user who has
  /// a value.
  fileprivate func excludes(_ other: Self) -> Bool {
    candidate == other.candidate && user == other.user && relation != other.relation
      && [relation, other.relation].contains(.noneOf)
  }
}

extension Pipeline.Entity {
  /// Returns the names of the attributes with one of the types.
  fileprivate func names(of types: [AttributeType]) -> [String] {
    attributes.filter { types.contains($0.type) }.map(\.name)
  }
}
