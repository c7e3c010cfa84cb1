/// What a store is opened for.
package enum StoreAccess: Hashable, Sendable {
  /// Reading alone: nothing is created or changed, and publishing throws `readOnly`.
  case reading
  /// Publishing and reading: an absent store is created.
  case publishing
}

extension StoreAddress {
  /// The store at this address.
  ///
  /// - Parameters:
  ///   - access: Whether to publish; only then is an absent store created, with the directories above it.
  ///   - busyTimeout: How long to wait for another writer before `busy`; not negative.
  /// - Returns: A store whose connections close when the last reference goes.
  /// - Throws: `cannotOpen`, also when a store to read from does not exist yet; `notOurs`, `newerSchema`,
  ///   `corrupt`, `busy`, `readOnly`, `full`.
  package func open(
    for access: StoreAccess, busyTimeout: Duration = .seconds(5)
  ) throws(ServingStoreError) -> any ServingStore {
    switch backend {
    case .sqlite(let path): try SQLiteServingStore(path: path, access: access, busyTimeout: busyTimeout)
    case .postgresql(let uri):
      try PostgreSQLServingStore(uri: uri, self, access: access, busyTimeout: busyTimeout)
    case .redis(let endpoint):
      try RedisServingStore(endpoint, access: access, busyTimeout: busyTimeout)
    }
  }
}
