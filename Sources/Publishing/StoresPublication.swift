internal import PipelineFile
internal import ServingStore
package import System
internal import Text

/// The publication of a run to all stores of a pipeline.
///
/// First, each store is loaded. The store then waits before its readers see the new generation. When all
/// stores are loaded, they are switched, the last store first. If a store cannot be loaded, all stores keep
/// their served generation. If a switch fails, the stores that were already switched serve the run.
///
/// A store waits within its transaction, or under its lock. Therefore the publications are nested: a
/// publication starts the next one when its store is loaded.
package struct StoresPublication {
  private let publications: [StorePublication]
  private let threads: Int
  private let observe: (String, Int) -> Void

  /// - Parameters:
  ///   - night: The run to publish.
  ///   - force: Whether to publish even if a guard rejects the run, or a store already serves the same rows.
  ///   - acceptsDrop: Whether lists may lose any share of their users.
  ///   - threads: The number of threads that read and check lists.
  ///   - observe: Receives the name of the table being loaded, and the number of its loaded rows.
  package init(
    _ night: PublishedNight, force: Bool, acceptsDrop: Bool = false, threads: Int,
    observe: @escaping (String, Int) -> Void
  ) {
    publications = night.publications(force: force, acceptsDrop: acceptsDrop)
    (self.threads, self.observe) = (threads, observe)
  }

  /// Publishes to all stores.
  ///
  /// - Returns: One result for each store, in the order of the pipeline file.
  /// - Throws: The error of the first store whose guards reject the run, that cannot be loaded, or that
  ///   cannot be switched. If other stores already serve the run, `PartialPublication` contains this error.
  package func publish() throws -> [StorePublication.Published] {
    for publication in publications { try publication.checkGuards() }
    let switched = SwitchedStores(count: publications.count)
    do {
      try publish(from: 0, switched, keepingAlive: [])
    } catch {
      let served = zip(publications, switched.results).filter { $1 != nil }.map(\.0.address.shown)
      guard !served.isEmpty else { throw error }
      let others = zip(publications, switched.results).filter { $1 == nil }.map(\.0.address.shown)
      throw PartialPublication(serving: served, notServing: others, cause: error)
    }
    return switched.results.compactMap { $0 }
  }

  private func publish(from index: Int, _ switched: SwitchedStores, keepingAlive others: [() throws -> Void])
    throws
  {
    guard index < publications.count else {
      // No store is switched yet. A store that lost its connection during the loads throws here, so no store
      // is switched at all.
      for keepAlive in others { try keepAlive() }
      return
    }
    // A lost connection is ignored here, because the step before the first switch finds it again and throws.
    let observe: (String, Int) -> Void = { table, rows in
      for keepAlive in others { try? keepAlive() }
      self.observe(table, rows)
    }
    let result = try publications[index].publish(threads: threads, observe: observe) { keepAlive in
      try publish(from: index + 1, switched, keepingAlive: others + [keepAlive])
    }
    // After a lost connection, the later stores are loaded again. They then report that they
    // already serve the run.
    switched.results[index] = switched.results[index] ?? result
  }
}

/// The results of the stores that serve the run, by their position in the pipeline file.
private final class SwitchedStores {
  var results: [StorePublication.Published?]

  init(count: Int) {
    results = Array(repeating: nil, count: count)
  }
}

/// A store failed after other stores were switched.
package struct PartialPublication: ErrorWithStatus, CustomStringConvertible {
  /// The addresses of the stores that serve the run.
  package var serving: [String]
  /// The addresses of the stores that still serve their earlier generation.
  package var notServing: [String]
  package var cause: any Error

  package var exitStatus: ExitStatus { ExitStatus(cause) }

  package var description: String {
    "\(cause). \(serving.joined(separator: ", ")) already "
      + "\(serving.count == 1 ? "serves" : "serve") this run, and \(notServing.joined(separator: ", ")) still "
      + "\(notServing.count == 1 ? "serves" : "serve") the previous generation. Publish again to finish"
  }
}
