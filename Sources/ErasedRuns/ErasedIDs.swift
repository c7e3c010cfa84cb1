/// Who goes, by kind of entity: two kinds may use one id for different people.
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

  func of(_ entity: String) -> Set<[UInt8]> { byEntity[entity] ?? [] }

  /// Of any kind.
  var all: Set<[UInt8]> { byEntity.values.reduce(into: []) { $0.formUnion($1) } }
}
