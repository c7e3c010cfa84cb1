/// The ids to erase, separately for each entity, because two entities may use the same id for different
/// people or things.
package struct ErasedIDs: Sendable {
  package private(set) var byEntity: [String: Set<[UInt8]>] = [:]

  package init() {}

  package mutating func insert(_ id: [UInt8], entity: String) {
    byEntity[entity, default: []].insert(id)
  }

  package mutating func formUnion(_ other: ErasedIDs) {
    byEntity.merge(other.byEntity) { $0.union($1) }
  }

  package var isEmpty: Bool { byEntity.values.allSatisfy(\.isEmpty) }
  package var count: Int { byEntity.values.reduce(0) { $0 + $1.count } }

  /// Returns the number of ids that satisfy `isCounted`.
  package func count(where isCounted: (_ id: [UInt8], _ entity: String) -> Bool) -> Int {
    byEntity.reduce(0) { sum, entity in sum + entity.value.count { isCounted($0, entity.key) } }
  }

  package func of(_ entity: String) -> Set<[UInt8]> { byEntity[entity] ?? [] }

  /// The ids of all entities.
  package var all: Set<[UInt8]> { byEntity.values.reduce(into: []) { $0.formUnion($1) } }
}
