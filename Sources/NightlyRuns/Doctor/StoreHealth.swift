internal import CommandLine
internal import PipelineFile
internal import Publishing
internal import ServingStore
internal import System
internal import Text

/// Checks whether a run could publish to a pipeline's stores, and reports which run each store serves.
struct StoreHealth {
  private let pipeline: Pipeline
  private let now: Instant
  private let addresses: [Result<StoreAddress, ServingStoreError>]

  init(_ pipeline: Pipeline, now: Instant) {
    (self.pipeline, self.now) = (pipeline, now)
    addresses = (pipeline.publication?.stores ?? []).map { store in
      Result { () throws(ServingStoreError) in
        try StoreAddress(parsing: store, relativeTo: pipeline.directory)
      }
    }
  }

  /// Returns one failed check per invalid address, and one more failed check if two addresses name the same
  /// store. A run checks the addresses before any other work.
  func flaws() -> [HealthCheck] {
    let flaws = addresses.compactMap {
      if case .failure(let error) = $0 { HealthCheck("store", error) } else { nil }
    }
    do throws(StageFailure) {
      try pipeline.checkDistinctStores()
      return flaws
    } catch {
      return flaws + [HealthCheck("store", error)]
    }
  }

  /// Returns one check per store with a valid address.
  func checks() -> [HealthCheck] {
    addresses.compactMap { try? $0.get() }.map { address in
      do {
        // Reading detects a store that belongs to another program. A readable store can still reject a
        // publication, so the check also tests the requirements of a publication.
        let check = try read(address)
        try address.rehearse(pipeline: pipeline.name)
        return check
      } catch {
        return HealthCheck("store", error)
      }
    }
  }

  private func read(_ address: StoreAddress) throws -> HealthCheck {
    let store: any ServingStore
    do throws(ServingStoreError) {
      store = try address.open(for: .reading)
    } catch {
      guard error.code == .absent else { throw error }
      return HealthCheck(
        "store", .note, "\(address.shown): the store does not exist yet; the first publication creates it")
    }
    guard let served = try store.currentGeneration(pipeline: pipeline.name) else {
      return HealthCheck(
        "store", .note, "\(address.shown): the store serves nothing for '\(pipeline.name)' yet")
    }
    let age = HealthCheck.age(since: Double(served.asOf) / 1_000, at: now)
    return HealthCheck(
      "store", .well,
      "\(address.shown): serves generation \(served.number) of run \(served.run); its data are \(age) old")
  }
}
