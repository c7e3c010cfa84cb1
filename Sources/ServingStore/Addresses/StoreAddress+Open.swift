import Foundation

extension StoreAddress {
  /// The store at this address.
  ///
  /// - Parameters:
  ///   - access: Whether to publish; only then is an absent store created, with the directories above it.
  ///   - busyTimeout: How long to wait for another writer before `busy`; not negative.
  /// - Returns: A store whose connections close when the last reference goes.
  /// - Throws: `unreachable`, `absent`, `cannotOpen`, `notOurs`, `newerSchema`,
  ///   `corrupt`, `busy`, `readOnly`, `full`.
  package func open(
    for access: StoreAccess, busyTimeout: Duration = .seconds(5)
  ) throws(ServingStoreError) -> any ServingStore {
    let clock = ContinuousClock()
    let deadline = clock.now + (access == .publishing ? Self.patience : .zero)
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

  /// How long a night waits for a server that does not answer; a restart takes seconds. Readers do not wait, and errors about the
  /// account or the database are reported at once.
  private static let patience = Duration.seconds(5)

  /// Runs `body`, and repeats it if the connection to the server is lost: after one second, and again after three. The server, or
  /// the next publish, undoes what an attempt began.
  /// - Parameter body: Opens the store and does all of the work, from the start.
  /// - Returns: The result of `body`.
  /// - Throws: The error of the last attempt.
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
