/// The purpose of opening a store.
package enum StoreAccess: Hashable, Sendable {
  /// Reading only. Nothing is created or changed, and publishing throws `readOnly`.
  case reading
  /// Trying an erasure in a transaction that is rolled back. The store is neither created nor upgraded.
  case dryRun
  /// Trying the first steps of a publication, whose changes are rolled back. An absent store stays absent.
  case rehearsal
  /// Publishing and reading. An absent store is created, and the store of an earlier program is upgraded.
  case publishing
}
