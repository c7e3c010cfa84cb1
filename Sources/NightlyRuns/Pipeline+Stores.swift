package import CommandLine
package import PipelineFile
internal import ServingStore
internal import System

extension Pipeline {
  /// Looks whether the addresses of the stores are some, without asking anybody.
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
}
