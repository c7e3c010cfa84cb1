package import PipelineFile
package import ServingStore
package import System

extension Pipeline {
  /// Checks the addresses of the stores without connecting to any.
  ///
  /// - Throws: `StageFailure`, with what is wrong.
  package func checkStores() throws(StageFailure) {
    for store in publication?.stores ?? [] {
      do {
        _ = try StoreAddress(parsing: store, relativeTo: directory)
      } catch {
        throw StageFailure(ExitStatus(error), "\(file): 'publish.store': \(error)")
      }
    }
  }

  /// The address of one store: the first of the pipeline file unless the user chooses another.
  ///
  /// - Parameter chosen: An address, or the beginning of one of the pipeline file's.
  /// - Returns: The address; not opened yet.
  /// - Throws: `StageFailure` if neither names a store; `ServingStoreError` for a wrong address.
  package func storeAddress(_ chosen: String?) throws -> StoreAddress {
    guard let publication else {
      guard let chosen else {
        throw StageFailure(.badPipelineFile, "\(file): it has no 'publish', so nothing is served.")
      }
      return try StoreAddress(parsing: chosen, relativeTo: ".")
    }
    guard let chosen else { return try StoreAddress(parsing: publication.stores[0], relativeTo: directory) }
    // One of the file's keeps its base directory.
    if let known = publication.stores.first(where: { $0.hasPrefix(chosen) }) {
      return try StoreAddress(parsing: known, relativeTo: directory)
    }
    return try StoreAddress(parsing: chosen, relativeTo: ".")
  }

  /// The addresses of all stores of the pipeline file, or of the chosen one alone.
  ///
  /// - Throws: As `storeAddress`.
  package func storeAddresses(_ chosen: String?) throws -> [StoreAddress] {
    guard chosen == nil, let stores = publication?.stores else { return [try storeAddress(chosen)] }
    return try stores.map { try StoreAddress(parsing: $0, relativeTo: directory) }
  }
}

extension StageFailure {
  /// The failure of a store that serves no generation of the pipeline.
  package static func nothingServed(_ pipeline: Pipeline, _ store: any ServingStore) -> StageFailure {
    StageFailure(
      .missingInput, "\(store.address): it serves nothing for '\(pipeline.name)'. Run 'nightjar run' first.")
  }
}

extension Pipeline {
  /// The lines that `body` makes of the generation that `store` serves.
  ///
  /// - Throws: `StageFailure` if the store serves nothing; `ServingStoreError`; errors of `body`.
  package func servedLines(
    of store: any ServingStore, _ body: (any ServedGeneration) throws -> [String]
  ) throws -> [String] {
    guard let lines = try store.read(pipeline: name, body) else {
      throw StageFailure.nothingServed(self, store)
    }
    return lines
  }
}
