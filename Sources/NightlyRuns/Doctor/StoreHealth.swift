internal import CommandLine
internal import PipelineFile
internal import ServingStore
internal import System

/// Checks whether a pipeline's stores are reachable, and what they serve.
struct StoreHealth {
  private let pipeline: Pipeline

  init(_ pipeline: Pipeline) {
    self.pipeline = pipeline
  }

  /// One check per store.
  func checks() -> [HealthCheck] {
    (pipeline.publication?.stores ?? []).map { store in
      do {
        return try check(StoreAddress(parsing: store, relativeTo: pipeline.directory))
      } catch let error as ServingStoreError {
        let isWrong = ExitStatus(error) == .badPipelineFile
        return HealthCheck("store", .ill(isWrong ? .badPipelineFile : .storeUnavailable), "\(error)")
      } catch {
        return HealthCheck("store", .ill(.storeUnavailable), "\(error)")
      }
    }
  }

  private func check(_ address: StoreAddress) throws -> HealthCheck {
    let store: any ServingStore
    do throws(ServingStoreError) {
      store = try address.open(for: .reading)
    } catch {
      guard error.code == .absent else { throw error }
      return HealthCheck(
        "store", .note, "\(address.shown): the store does not exist yet; the first publish creates it")
    }
    guard let served = try store.currentGeneration(pipeline: pipeline.name) else {
      return HealthCheck("store", .note, "\(address.shown): it serves nothing for '\(pipeline.name)' yet")
    }
    let age = HealthCheck.age(since: Double(served.asOf) / 1_000)
    return HealthCheck(
      "store", .well,
      "\(address.shown): generation \(served.number) of run \(served.run), whose data are \(age) old")
  }
}
