/// The people to remove from a store, and the tables that may contain them.
package struct ErasedPeople: Sendable {
  /// The ids of the people, by entity.
  package var ids: [String: Set<StoredID>]
  private let lists: [String: (users: String, candidates: String)]
  private let matches: [String: [String]]
  private let catalogs: [String: String]

  /// - Parameters:
  ///   - ids: The ids of the people, by entity.
  ///   - lists: The entities of the users and of the candidates, by list.
  ///   - matches: The entities of both sides, by table of matches.
  ///   - catalogs: The entity of the listed people or things, by catalog.
  package init(
    _ ids: [String: Set<StoredID>], lists: [String: (users: String, candidates: String)],
    matches: [String: [String]], catalogs: [String: String] = [:]
  ) {
    (self.ids, self.lists, self.matches, self.catalogs) = (ids, lists, matches, catalogs)
  }

  package var isEmpty: Bool { ids.values.allSatisfy(\.isEmpty) }

  /// Returns the ids that may have `role`. If the pipeline file no longer defines the table, these are all
  /// ids.
  func ids(in role: StoredRole) -> Set<StoredID> {
    entities(in: role).reduce(into: []) { $0.formUnion(ids[$1] ?? []) }
  }

  /// Returns the entities of the ids that may have `role`. If the pipeline file no longer defines the table,
  /// these are all entities.
  package func entities(in role: StoredRole) -> [String] {
    let entities: [String]? =
      switch role {
      case .user(let list): (lists[list]?.users).map { [$0] }
      case .candidate(let list): (lists[list]?.candidates).map { [$0] }
      case .match(let name): matches[name]
      case .person(let entity): [entity]
      case .entry(let catalog): catalogs[catalog].map { [$0] }
      }
    return entities ?? Array(ids.keys)
  }
}

/// The role of an id in a generation. The ids of attributes and positions have the role `person`.
package enum StoredRole: Hashable, Sendable {
  case user(list: String)
  case candidate(list: String)
  case match(name: String)
  case person(entity: String)
  case entry(catalog: String)
}
