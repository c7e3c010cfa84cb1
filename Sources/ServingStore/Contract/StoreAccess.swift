/// The purpose of opening a store.
package enum StoreAccess: Hashable, Sendable {
  /// Reading only. Nothing is created or changed, and publishing throws `readOnly`.
  case reading
  /// Publishing and reading. An absent store is created.
  case publishing
}
