internal import PipelineFile
internal import ServingStore
package import System
internal import Text

/// The publication of a run to all stores of a pipeline.
///
/// First, the run is loaded into each store. Readers do not see the new generation yet. When all stores
/// contain the run, they are switched to it, the last store first. If loading fails in one store, all stores
/// keep their served generation. If a switch fails, the stores that were already switched keep serving the
/// run.
///
/// Until all stores contain the run, each store waits within its transaction or under its lock. The
/// publications are therefore nested: when a store contains the run, its publication starts the publication
/// to the next store.
package struct StoresPublication {
  private let publications: [StorePublication]
  private let threads: Int
  private let observe: (String, Int) -> Void

  /// - Parameters:
  ///   - night: The run to publish.
  ///   - force: Whether to publish even if a guard rejects the run, or a store already serves the same rows.
  ///   - acceptsDrop: Whether to publish even if lists, matches or catalogs lose more than the limit allows.
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
  /// - Throws: The first error: a guard rejects the run, loading into a store fails, or a switch fails. If
  ///   other stores already serve the run, `PartialPublication` contains this error.
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
      // No store is switched yet. If a store lost its connection meanwhile, `keepAlive` throws, so no store
      // is switched at all.
      for keepAlive in others { try keepAlive() }
      return
    }
    // A lost connection is ignored here, because `keepAlive` is called again before the first switch, and
    // then throws.
    let observe: (String, Int) -> Void = { table, rows in
      for keepAlive in others { try? keepAlive() }
      self.observe(table, rows)
    }
    let result = try publications[index].publish(threads: threads, observe: observe) { keepAlive in
      try publish(from: index + 1, switched, keepingAlive: others + [keepAlive])
    }
    // If a store loses its connection, its publication is repeated, and with it the publications to the later
    // stores. The later stores then report that they already serve the run, so their first results are kept.
    switched.results[index] = switched.results[index] ?? result
  }
}

/// The result of each store that serves the run, in the order of the pipeline file; `nil` for the other
/// stores.
private final class SwitchedStores {
  var results: [StorePublication.Published?]

  init(count: Int) {
    results = Array(repeating: nil, count: count)
  }
}

/// The error of a store that failed after other stores were switched to the run.
package struct PartialPublication: ErrorWithStatus, CustomStringConvertible {
  /// The addresses of the stores that serve the run.
  package var serving: [String]
  /// The addresses of the stores that do not serve the run. They keep their served generation, if they have
  /// one.
  package var notServing: [String]
  package var cause: any Error

  package var exitStatus: ExitStatus { ExitStatus(cause) }

  package var description: String {
    "\(cause). \(serving.joined(separator: ", ")) already "
      + "\(serving.count == 1 ? "serves" : "serve") this run, but \(notServing.joined(separator: ", ")) "
      + "\(notServing.count == 1 ? "does" : "do") not. Publish again to finish"
  }
}
