package import PipelineFile
internal import RunSchemas
package import ServingStore
package import System

extension Pipeline {
  /// Checks the addresses of the stores without connecting to a store.
  ///
  /// - Throws: `StageFailure` for the first invalid address, or if two addresses name the same store.
  package func checkStores() throws(StageFailure) {
    for store in publication?.stores ?? [] {
      do {
        _ = try StoreAddress(parsing: store, relativeTo: directory)
      } catch {
        throw StageFailure(ExitStatus(error), "\(file): 'publish.store': \(error)")
      }
    }
    try checkDistinctStores()
  }

  /// Checks that all addresses name different stores. If two addresses named the same store, the second
  /// publication would wait for the lock of the first publication until a timeout.
  ///
  /// - Throws: `StageFailure` for the second address of the same store. Invalid addresses are ignored.
  package func checkDistinctStores() throws(StageFailure) {
    var places: Set<String> = []
    for store in publication?.stores ?? [] {
      guard let address = try? StoreAddress(parsing: store, relativeTo: directory),
        !places.insert(address.place).inserted
      else { continue }
      throw StageFailure(
        .badPipelineFile,
        "\(file): 'publish.store' names the store \(address.shown) twice. Remove one of the addresses.")
    }
  }

  /// Returns the address of one store: the first store in the pipeline file, unless the user chooses another
  /// store.
  ///
  /// - Parameter chosen: An address, or a prefix of an address in the pipeline file; `nil` for the first
  ///   address in the pipeline file.
  /// - Returns: The address. The store is not opened yet.
  /// - Throws: `StageFailure` if the pipeline file names no store and `chosen` is `nil`; `ServingStoreError`
  ///   for an invalid address.
  package func storeAddress(_ chosen: String?) throws -> StoreAddress {
    guard let publication else {
      guard let chosen else {
        throw StageFailure(
          .badPipelineFile,
          "\(file) has no 'publish', so the store is unknown. Add 'publish.store', or choose a store with "
            + "--store.")
      }
      return try StoreAddress(parsing: chosen, relativeTo: ".")
    }
    guard let chosen else { return try StoreAddress(parsing: publication.stores[0], relativeTo: directory) }
    // A relative path in the pipeline file is resolved against the directory of the pipeline file.
    if let known = publication.stores.first(where: { $0.hasPrefix(chosen) }) {
      return try StoreAddress(parsing: known, relativeTo: directory)
    }
    return try StoreAddress(parsing: chosen, relativeTo: ".")
  }

  /// Returns the addresses of all stores in the pipeline file, or only the chosen address.
  ///
  /// - Throws: The errors of `storeAddress`.
  package func storeAddresses(_ chosen: String?) throws -> [StoreAddress] {
    guard chosen == nil, let stores = publication?.stores else { return [try storeAddress(chosen)] }
    return try stores.map { try StoreAddress(parsing: $0, relativeTo: directory) }
  }
}

extension StageFailure {
  /// Returns the error for a store that serves no generation of the pipeline.
  package static func nothingServed(_ pipeline: Pipeline, _ store: any ServingStore) -> StageFailure {
    let command = ShownCommand.text("run", pipeline.file, set: pipeline.overrides)
    return StageFailure(
      .missingInput,
      "\(store.address): the store serves nothing for '\(pipeline.name)'. Run '\(command)' first.")
  }
}

extension Pipeline {
  /// Calls `body` with the generation that `store` serves, and returns the lines from `body`.
  ///
  /// - Throws: `StageFailure` if the store serves nothing; `ServingStoreError`, also for a `DamagedRow` of
  ///   `body`; other errors of `body`.
  package func servedLines(
    of store: any ServingStore, _ body: (any ServedGeneration) throws -> [String]
  ) throws -> [String] {
    do {
      guard let lines = try store.read(pipeline: name, body) else {
        throw StageFailure.nothingServed(self, store)
      }
      return lines
    } catch let row as DamagedRow {
      throw row.failure(in: store, of: self)
    }
  }
}
