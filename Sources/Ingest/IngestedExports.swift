package import Files
package import PipelineFile
package import Text
package import Tombstones

/// All exports of a pipeline, read and checked, with every row counted. Ingest writes them, and a check reports them.
package struct IngestedExports: Sendable {
  package let pipeline: Pipeline
  package let asOf: AsOf
  /// By name.
  package private(set) var entities: [String: EntityRows]
  /// In the pipeline's order; without unreadable sources.
  package private(set) var checkIns: [CheckInRows]
  /// The same.
  package private(set) var interactions: [InteractionRows]
  /// The same.
  package private(set) var requests: [RequestRows]
  /// By entity: which entities are in the snapshot because they are not later than `asOf`.
  private var kept: [String: KeptEntities] = [:]

  /// Reads the exports that `pipeline` names.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline file in force.
  ///   - given: The argument of `--as-of`, or `nil` for the newest interaction.
  ///   - clock: The machine's clock: interactions after it do not decide the as-of time.
  ///   - tombstones: The erased people. Their rows, the rows of their belongings, and the rows that refer to either are left
  ///     out and counted as erased.
  ///   - workers: The threads and block sizes.
  ///   - isUnreadable: Receives each source that could not be read, and the error. It throws to end the reading, or returns to
  ///     continue without the source. Interactions that need its entities are then left out without a report.
  /// - Throws: The error that `isUnreadable` throws.
  package init<Failure: Error>(
    _ pipeline: Pipeline, asOf given: Instant?, clock: Instant, tombstones: TombstoneSet = .none,
    by workers: Workers = Workers(),
    isUnreadable: (_ source: String, _ error: any Error) throws(Failure) -> Void
  ) throws(Failure) {
    self.pipeline = pipeline
    var reader = ExportsReader(pipeline: pipeline, tombstones: tombstones, workers: workers)
    entities = try reader.readEntities(isUnreadable)
    checkIns = try reader.readCheckIns(by: entities, until: given ?? clock, isUnreadable)
    interactions = try reader.readInteractions(of: entities, isUnreadable)
    requests = try reader.readRequests(of: entities, isUnreadable)
    asOf = AsOf(
      given: given, interactions: interactions, checkIns: checkIns, requests: requests, clock: clock)
    divideEntities()
    divideInteractionsAndRequests()
    checkBalance()
  }

  /// Decides which entities are kept at the as-of time, and applies their check-ins.
  private mutating func divideEntities() {
    for entity in pipeline.entitiesByOwner {
      let (name, owners) = (entity.name, entity.owner.flatMap { kept[$0.entity] })
      if let isKept = entities[name]?.divide(at: asOf.instant, owners: owners), let ids = entities[name]?.ids
      {
        kept[name] = KeptEntities(isKept, ids)
      }
    }
    for index in checkIns.indices {
      guard let users = kept[checkIns[index].checkIns.user.entity] else { continue }
      checkIns[index].divide(users, at: asOf.instant)
    }
    for entity in pipeline.entities {
      let found = checkIns.first { $0.checkIns.name == entity.checkIns?.name }
      entities[entity.name]?.take(found, at: asOf.instant)
    }
  }

  /// Decides which interactions and requests are kept, after the entities were decided.
  private mutating func divideInteractionsAndRequests() {
    for index in interactions.indices {
      let kind = interactions[index].interaction
      guard let users = kept[kind.user.entity], let candidates = kept[kind.candidate.entity] else { continue }
      interactions[index].divide(
        KeptInteractions(users: users, candidates: candidates, asOf: asOf.instant))
    }
    for index in requests.indices {
      let kind = requests[index].requests
      guard let users = kept[kind.user.entity], let candidates = kept[kind.candidate.entity],
        let rows = entities[kind.user.entity]
      else { continue }
      requests[index].divide(
        KeptInteractions(users: users, candidates: candidates, asOf: asOf.instant), users: rows)
    }
  }

  /// Every row that was read is in one of the counts of its source.
  private func checkBalance() {
    for source in sources {
      precondition(source.counts.isBalanced, "rows of '\(source.name)' were lost: \(source.counts)")
    }
  }

  /// By number of the id: whether the entity is kept. Empty for an entity that could not be read.
  package func isKept(_ entity: String) -> [Bool] { kept[entity]?.isKept ?? [] }

  /// Which entities of kind `name`, which was read, are in the snapshot.
  func keptEntities(_ name: String) -> KeptEntities {
    guard let kept = kept[name] else { preconditionFailure("the entities '\(name)' were not read") }
    return kept
  }

  /// Which of the interactions of a kind are in the snapshot.
  func kept(_ interaction: Pipeline.Interaction) -> KeptInteractions {
    KeptInteractions(
      users: keptEntities(interaction.user.entity), candidates: keptEntities(interaction.candidate.entity),
      asOf: asOf.instant)
  }

  /// The indices of the rows of `interactions` that are kept.
  package func keptIndices(of interactions: InteractionRows) -> [Int] {
    let kept = kept(interactions.interaction)
    var indices: [Int] = []
    for (index, row) in interactions.rows.enumerated() where kept.keep(row) { indices.append(index) }
    return indices
  }

  /// The indices of the newest check-ins of users who are kept.
  package func keptIndices(of checkIns: CheckInRows) -> [Int] {
    checkIns.keptIndices(keptEntities(checkIns.checkIns.user.entity))
  }

  /// Moves out the rows of the interactions at `index`, which this value then no longer holds: they take most of the memory.
  mutating func takeRows(at index: Int) -> InteractionColumns { interactions[index].takeRows() }

  /// Releases the rows of entities after they were written, because the next steps need the memory.
  mutating func releaseEntities() {
    for name in entities.keys { entities[name]?.releaseRows() }
  }

  /// The sources that were read, in the pipeline's order.
  package var sources: [ReadSource] {
    pipeline.entities.compactMap { entity in
      entities[entity.name].map {
        ReadSource(name: entity.name, source: entity.source, counts: $0.counts, rejects: $0.rejects)
      }
    }
      + checkIns.map {
        ReadSource(
          name: $0.checkIns.name, source: $0.checkIns.source, counts: $0.counts, rejects: $0.rejects)
      }
      + interactions.map {
        ReadSource(
          name: $0.interaction.name, source: $0.interaction.source, counts: $0.counts, rejects: $0.rejects)
      }
      + requests.map {
        ReadSource(
          name: $0.requests.name, source: $0.requests.source, counts: $0.counts, rejects: $0.rejects)
      }
  }

  /// The file `rejects.csv`.
  var rejectsCSV: [UInt8] {
    var text = CSVText()
    text.append(header: RejectLog.header)
    for source in sources { source.rejects.write(to: &text) }
    return text.bytes
  }

  /// The sources with more broken rows than the pipeline allows.
  package var exceededLimits: [RejectLimitExceeded] {
    sources.compactMap { $0.exceeded(limit: pipeline.rejectLimit) }
  }

  /// - Throws: `FileError` if an export was replaced or written to after its reading began.
  package func checkUnchanged() throws(FileError) {
    let others = checkIns.map(\.reading) + interactions.map(\.reading) + requests.map(\.reading)
    for reading in entities.values.map(\.reading) + others {
      try ExportStamp.check(reading.stamps)
    }
  }

  /// Every file that was read, once, in display order.
  var inputs: [FileDigest] {
    let all =
      pipeline.entities.compactMap { entities[$0.name]?.reading.inputs }
      + checkIns.map(\.reading.inputs) + interactions.map(\.reading.inputs)
      + requests.map(\.reading.inputs)
    // Compares bytes: two file names may differ only in how their accents are encoded.
    let byPath = Dictionary(all.joined().map { (Array($0.path.utf8), $0) }) { _, last in last }
    return byPath.values.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }
}

extension InteractionRows {
  /// Counts what is kept and what is later.
  fileprivate mutating func divide(_ kept: KeptInteractions) {
    counts.kept = kept.count(rows)
    counts.later = rows.count - counts.kept
  }
}
