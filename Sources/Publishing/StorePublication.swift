internal import PipelineFile
internal import ServingStore
internal import System
package import Text

/// The publication of a run to one store, or the plan of this publication.
///
/// The module `Publishing` publishes a run's files to stores, rolls back, and reads what a store serves. It
/// connects `PipelineFile` with `ServingStore`. It must not depend on `Ranking` or `Models`, because it
/// publishes files exactly as the run wrote them.
package struct StorePublication {
  /// The result of a publication.
  package struct Published {
    /// The report about the generation that the store serves now, as `nightjar publish` prints it.
    package var report: JSONValue
    /// The time of this store's publication in seconds, without the time for other stores.
    package var seconds: Double
  }

  /// The plan of a publication.
  package struct Plan {
    /// The report of the planned publication. The member `would` states what the publication would do.
    package var report: JSONValue
    /// One line for the store, and one line for each guard that the run violates.
    package var lines: [String]
  }

  let night: PublishedNight
  let address: StoreAddress
  /// Whether to publish even if a guard rejects the run, or the store already serves the same rows.
  private let force: Bool
  /// Whether to publish even if lists lose more users, or matches or catalogs lose more rows, than the limit
  /// allows.
  private let acceptsDrop: Bool

  /// - Parameters:
  ///   - night: The run to publish.
  ///   - address: The store's address.
  ///   - force: Whether to publish even if a guard rejects the run, or the store already serves the same
  ///     rows.
  ///   - acceptsDrop: Whether to publish even if lists, matches or catalogs lose more than the limit allows.
  init(_ night: PublishedNight, to address: StoreAddress, force: Bool, acceptsDrop: Bool) {
    (self.night, self.address, self.force, self.acceptsDrop) = (night, address, force, acceptsDrop)
  }

  /// Loads the run as a new generation and serves it, unless the store already serves the same rows and
  /// `force` is false.
  ///
  /// - Parameters:
  ///   - threads: The number of threads that read and check lists.
  ///   - observe: Receives the name of the table being loaded, and the number of its loaded rows.
  ///   - beforeServing: Called when the store contains the new generation, just before the store serves it.
  ///     If `beforeServing` takes longer than ten seconds, it must call its argument at least every ten
  ///     seconds, to keep the publication alive. After a lost connection, `beforeServing` is called again.
  /// - Returns: The report and the time. The report contains `"unchanged":true` if the store already serves
  ///   the same rows. In this case, the guards do not reject the run, and `tolerated_guards` lists them.
  /// - Throws: `ServingStoreError`, with `guarded` if a guard rejects the run; errors of `beforeServing`.
  ///   After an error, the store serves the same generation as before, unless the connection was lost during
  ///   the switch to the new generation.
  func publish(
    threads: Int, observe: @escaping (String, Int) -> Void,
    beforeServing: @escaping (_ keepAlive: @escaping () throws -> Void) throws -> Void
  ) throws -> Published {
    try address.reconnecting {
      let (clock, start) = (ContinuousClock(), ContinuousClock.now)
      var others = Duration.zero
      let report = try publishOnce(threads, observe) { keepAlive in
        let loaded = clock.now
        defer { others = loaded.duration(to: clock.now) }
        try beforeServing(keepAlive)
      }
      return Published(report: report, seconds: (start.duration(to: clock.now) - others).inSeconds)
    }
  }

  /// Checks that the guards accept the run, before the run is loaded into any store.
  ///
  /// - Throws: `ServingStoreError` with `guarded` if a guard rejects the run. Errors while reading the store
  ///   are ignored.
  func checkGuards() throws {
    // A store that cannot be read may contain the leftovers of a killed publication, which only a writer can
    // remove. The guards are checked again just before the run is loaded into this store.
    guard let store = try? existing(),
      let served = try? store.currentGeneration(pipeline: night.pipeline.name)
    else { return }
    let violations = judged(served).rejecting
    guard passes(violations) else { throw night.refusal(violations, address, served: served) }
  }

  /// Returns the violations of the guards. They are tolerated if the served generation has the same content,
  /// because this content has already been published.
  private func judged(
    _ served: GenerationSummary?
  ) -> (rejecting: [PublicationGuards.Violation], tolerated: [PublicationGuards.Violation]) {
    let found = night.violations(served: served)
    return served?.note.content == night.content ? ([], found) : (found, [])
  }

  private func publishOnce(
    _ threads: Int, _ observe: @escaping (String, Int) -> Void,
    _ beforeServing: @escaping (_ keepAlive: @escaping () throws -> Void) throws -> Void
  ) throws -> JSONValue {
    let store = try address.open(for: .publishing, busyTimeout: address.patience)
    let served = try store.currentGeneration(pipeline: night.pipeline.name)
    let (violations, tolerated) = judged(served)
    if let served, !force, try night.isHeld(by: store, served, threads: threads) {
      try beforeServing {}
      return night.report(
        address, generation: served.number, rows: served.tables.rankings,
        other: [
          "unchanged": .boolean(true),
          "kept": .integer(try store.generations(pipeline: night.pipeline.name).count),
        ].merging(listed(tolerated)) { $1 })
    }
    guard passes(violations) else { throw night.refusal(violations, address, served: served) }
    let published = try night.publication(overriding: violations).publish(
      to: store, threads: threads, loadingMore: night.load, observe: observe, beforeServing: beforeServing)
    return night.report(
      address, generation: published.number, rows: published.tables.rankings,
      other: ["kept": .integer(published.kept), "loaded": .integer(published.tables.rows)]
        .merging(overridden(violations)) { $1 }.merging(listed(tolerated)) { $1 })
  }

  /// Determines what `publish` would do, without changing the store.
  ///
  /// - Throws: `ServingStoreError`.
  package func plan() throws -> Plan {
    let store = try existing()
    let generations = try store?.generations(pipeline: night.pipeline.name) ?? []
    let served = generations.first(where: \.isServed)
    let (violations, tolerated) = judged(served)
    var isSame = false
    if let store, let served { isSame = try night.isHeld(by: store, served, threads: 1) }
    let number = (generations.first?.number ?? 0) + 1
    let load =
      served.map { "load generation \(number), serve it instead of generation \($0.number), " }
      ?? "load and serve generation \(number), "
    let wouldDo =
      isSame && !force
      ? "change nothing: generation \(served?.number ?? 0) contains the same rows"
      : passes(violations)
        ? load + "and keep " + min(generations.count + 1, night.keep).counted("generation")
        : "publish nothing, because a guard rejects the run"
    return Plan(
      report: night.report(
        address, generation: isSame && !force ? served?.number ?? 0 : number, rows: night.rows,
        other: ["would": .string(wouldDo)].merging(overridden(violations)) { $1 }
          .merging(listed(tolerated)) { $1 }),
      lines: ["  would    \(address.shown): \(wouldDo)"]
        + (violations + tolerated).map { "           \($0.guardName): \($0.found)" })
  }

  /// Returns the store; `nil` if it does not exist yet.
  func existing() throws -> (any ServingStore)? {
    do throws(ServingStoreError) {
      return try address.open(for: .reading)
    } catch {
      if error.code == .absent { return nil }
      throw error
    }
  }

  /// Returns whether the run may be published despite `violations`.
  private func passes(_ violations: [PublicationGuards.Violation]) -> Bool {
    force || violations.allSatisfy { acceptsDrop && $0.isDrop }
  }

  private func listed(_ tolerated: [PublicationGuards.Violation]) -> [String: JSONValue] {
    tolerated.isEmpty
      ? [:]
      : ["tolerated_guards": .array(tolerated.map { .string("\($0.guardName): \($0.found)") })]
  }

  private func overridden(_ violations: [PublicationGuards.Violation]) -> [String: JSONValue] {
    violations.isEmpty ? [:] : ["guards": .array(violations.guardNames.map { .string($0) })]
  }
}

extension PublishedNight {
  /// One publication for each store, in the order of the pipeline file.
  ///
  /// - Parameters:
  ///   - force: Whether to publish even if a guard rejects the run, or a store already serves the same rows.
  ///   - acceptsDrop: Whether to publish even if lists, matches or catalogs lose more than the limit allows.
  /// - Returns: The publications.
  package func publications(force: Bool, acceptsDrop: Bool = false) -> [StorePublication] {
    addresses.map { StorePublication(self, to: $0, force: force, acceptsDrop: acceptsDrop) }
  }
}

extension StoreAddress {
  /// The maximum time to wait for another publisher. In Redis, the lock of a killed publisher lasts half a
  /// minute.
  var patience: Duration {
    switch backend {
    case .redis: .seconds(40)
    case .sqlite, .postgresql: .seconds(5)
    }
  }
}
