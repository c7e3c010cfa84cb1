import Foundation

extension StoreAddress {
  /// Opens the store at this address. If the store is unreachable or busy, this method tries again for up to
  /// five seconds, unless `access` is `reading`.
  ///
  /// - Parameters:
  ///   - access: The purpose of opening the store. Only `publishing` creates an absent store, including the
  ///     parent directories of a SQLite file.
  ///   - busyTimeout: The maximum time that the store waits for another writer before it throws `busy`; not
  ///     negative.
  /// - Returns: A store. Its connections close when the last reference to the store is released.
  /// - Throws: `absent` if a SQLite or PostgreSQL store does not exist and `access` does not create it;
  ///   `unreachable`, `lost`, `busy`, `cannotOpen`, `notOurs`, `newerSchema`, `corrupt`, `readOnly`, `full`
  ///   or `failed` if the store cannot be used.
  package func open(
    for access: StoreAccess, busyTimeout: Duration = .seconds(5)
  ) throws(ServingStoreError) -> any ServingStore {
    let clock = ContinuousClock()
    let deadline = clock.now + (access == .reading ? .zero : Self.patience)
    var pause = Duration.milliseconds(100)
    while true {
      do throws(ServingStoreError) {
        return try openOnce(for: access, busyTimeout: busyTimeout)
      } catch {
        let mayPass = error.code == .unreachable || error.code == .busy
        if !mayPass || clock.now + pause >= deadline { throw error }
      }
      Thread.sleep(forTimeInterval: pause / .seconds(1))
      pause *= 2
    }
  }

  /// Checks that a publication to the store could begin, without changing any list. The store must accept
  /// writes, and the server's settings must allow a publication. This account must have the required rights,
  /// and a SQLite file must be intact.
  ///
  /// - Parameter pipeline: The pipeline's name.
  /// - Throws: The `ServingStoreError` with which a publication would fail.
  package func rehearse(pipeline: String) throws {
    switch backend {
    case .sqlite(let path):
      let file = SQLiteFile(address: self, path: path, busyTimeout: .zero)
      try file.checkWritable()
      try file.checkIntegrity()
    case .postgresql(let uri):
      let store = try PostgreSQLServingStore(uri: uri, self, access: .rehearsal, busyTimeout: .zero)
      try store.rehearse(pipeline: pipeline)
    case .redis(let endpoint):
      let store = try RedisServingStore(endpoint, access: .rehearsal, busyTimeout: .zero)
      // Without all rights, this account might be unable to release the lock.
      try store.checkRights(pipeline)
      try store.withLock(pipeline) { try $0.checkEviction() }
    }
  }

  /// The maximum time for which `open` tries again. A restart of the server takes a few seconds. Readers do
  /// not wait, and errors about the account or the database are thrown at once.
  private static let patience = Duration.seconds(5)

  /// Runs `body`, and repeats it up to twice if the connection to the server is lost.
  ///
  /// The first repetition begins after one second, and the second repetition after three more seconds. The
  /// server or the next publication undoes the changes of a failed attempt.
  ///
  /// - Parameter body: Opens the store and does all of the work.
  /// - Returns: The result of `body`.
  /// - Throws: The error of the last attempt. After any error except `lost`, `body` is not repeated.
  package func reconnecting<Result>(_ body: () throws -> Result) throws -> Result {
    for pause in [1.0, 3] {
      do {
        return try body()
      } catch let error as ServingStoreError {
        guard error.code == .lost else { throw error }
      }
      Thread.sleep(forTimeInterval: pause)
    }
    return try body()
  }

  private func openOnce(
    for access: StoreAccess, busyTimeout: Duration
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
