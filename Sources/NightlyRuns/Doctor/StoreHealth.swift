internal import CommandLine
internal import PipelineFile
internal import ServingStore

/// Checks whether a night could publish to a pipeline's stores, and what they serve.
struct StoreHealth {
  private let pipeline: Pipeline
  private let addresses: [Result<StoreAddress, ServingStoreError>]

  init(_ pipeline: Pipeline) {
    self.pipeline = pipeline
    addresses = (pipeline.publication?.stores ?? []).map { store in
      Result { () throws(ServingStoreError) in
        try StoreAddress(parsing: store, relativeTo: pipeline.directory)
      }
    }
  }

  /// One failed check per invalid address. A night checks the addresses before any work.
  func flaws() -> [HealthCheck] {
    addresses.compactMap { if case .failure(let error) = $0 { HealthCheck("store", error) } else { nil } }
  }

  /// One check per store with a valid address.
  func checks() -> [HealthCheck] {
    addresses.compactMap { try? $0.get() }.map { address in
      do {
        // An unsuitable store is often readable, and a store that another program owns is reported by reading.
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
        "store", .note, "\(address.shown): the store does not exist yet; the first publish creates it")
    }
    guard let served = try store.currentGeneration(pipeline: pipeline.name) else {
      return HealthCheck(
        "store", .note, "\(address.shown): the store serves nothing for '\(pipeline.name)' yet")
    }
    let age = HealthCheck.age(since: Double(served.asOf) / 1_000)
    return HealthCheck(
      "store", .well,
      "\(address.shown): serves generation \(served.number) of run \(served.run), whose data are \(age) old")
  }
}
