/// The purpose of opening a store.
package enum StoreAccess: Hashable, Sendable {
  /// Reading only. Nothing is created or changed, and publishing throws `readOnly`.
  case reading
  /// Counting the rows that an erasure would remove. The store is neither created, changed nor upgraded.
  case dryRun
  /// Trying the first steps of a publication, whose changes are rolled back. An absent store stays absent.
  case rehearsal
  /// Publishing, other changes, and reading. An absent store is created, and the store of an earlier version
  /// is upgraded.
  case publishing
}
