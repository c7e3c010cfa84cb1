package import Files
package import PipelineFile
package import System
package import Text
package import Tombstones

/// All exports of a pipeline, read and checked, with every row counted. The ingest stage writes the kept rows
/// to the snapshot, and `nightjar check` reports on the exports.
package struct IngestedExports: Sendable {
  package let pipeline: Pipeline
  package let asOf: AsOf
  /// Entities by name.
  package private(set) var entities: [String: EntityRows]
  /// Check-ins in the pipeline's order, without unreadable sources.
  package private(set) var checkIns: [CheckInRows]
  /// Interactions in the pipeline's order, without unreadable sources.
  package private(set) var interactions: [InteractionRows]
  /// Requests in the pipeline's order, without unreadable sources.
  package private(set) var requests: [RequestRows]
  /// The ids that are kept at the as-of time, by the name of the entity.
  private var kept: [String: KeptEntities] = [:]

  /// Reads the exports that `pipeline` names.
  ///
  /// - Parameters:
  ///   - pipeline: The effective pipeline file.
  ///   - given: The as-of time; `nil` if the pipeline file decides.
  ///   - clock: The moment at which the run began. Rows after it do not affect the as-of time.
  ///   - tombstones: The erased people. Their rows, the rows of items that they own, and all rows that refer
  ///     to these people or items are left out and counted as erased.
  ///   - workers: The threads and block sizes.
  ///   - isUnreadable: Receives each source that could not be read, and the error. The closure throws to end
  ///     the reading, or returns to continue without the source. Sources that refer to the ids of an
  ///     unreadable source are then left out without a report.
  /// - Throws: The error that `isUnreadable` throws.
  package init<Failure: Error>(
    _ pipeline: Pipeline, asOf given: Instant?, clock: Instant, tombstones: TombstoneSet = .none,
    by workers: Workers = Workers(),
    isUnreadable: (_ source: String, _ error: any Error) throws(Failure) -> Void
  ) throws(Failure) {
    self.pipeline = pipeline
    let rule = given.map { Pipeline.AsOf.moment($0) } ?? pipeline.asOf
    let limit = if case .moment(let moment) = rule { moment } else { clock }
    var reader = ExportsReader(pipeline: pipeline, tombstones: tombstones, workers: workers)
    entities = try reader.readEntities(isUnreadable)
    checkIns = try reader.readCheckIns(by: entities, until: limit, isUnreadable)
    interactions = try reader.readInteractions(of: entities, isUnreadable)
    requests = try reader.readRequests(of: entities, isUnreadable)
    asOf = AsOf(
      rule, interactions: interactions, checkIns: checkIns, requests: requests, clock: clock)
    divideEntities()
    divideInteractionsAndRequests()
    checkBalance()
  }

  /// Decides which ids are kept at the as-of time, and applies their check-ins.
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

  /// Decides which interactions and requests are kept. Call this method after `divideEntities`.
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

  /// Checks that the outcomes of each source add up to the number of rows read.
  private func checkBalance() {
    for source in sources {
      precondition(source.counts.isBalanced, "the counts of '\(source.name)' do not add up: \(source.counts)")
    }
  }

  /// Returns whether each id of the entity is kept, indexed by the number of the id; empty if the entity
  /// could not be read.
  package func isKept(_ entity: String) -> [Bool] { kept[entity]?.isKept ?? [] }

  /// Returns the ids of the entity `name` that are in the snapshot. The caller must already have read their
  /// source.
  func keptEntities(_ name: String) -> KeptEntities {
    guard let kept = kept[name] else { preconditionFailure("the entities '\(name)' were not read") }
    return kept
  }

  /// Returns the rule that decides which interactions of a kind are in the snapshot.
  func kept(_ interaction: Pipeline.Interaction) -> KeptInteractions {
    KeptInteractions(
      users: keptEntities(interaction.user.entity), candidates: keptEntities(interaction.candidate.entity),
      asOf: asOf.instant)
  }

  /// Returns the indices of the kept rows of `interactions`, ascending.
  package func keptIndices(of interactions: InteractionRows) -> [Int] {
    let kept = kept(interactions.interaction)
    var indices: [Int] = []
    for (index, row) in interactions.rows.enumerated() where kept.keep(row) { indices.append(index) }
    return indices
  }

  /// Returns the index in `checkIns.columns` of the newest check-in of each kept user.
  package func keptIndices(of checkIns: CheckInRows) -> [Int] {
    checkIns.keptIndices(keptEntities(checkIns.checkIns.user.entity))
  }

  /// Moves the rows of the interactions at `index` out of this value, so that the writer can release them.
  /// These rows take most of the memory.
  mutating func takeRows(at index: Int) -> InteractionColumns { interactions[index].takeRows() }

  /// Releases the rows of the entities once they are written, because the next steps need the memory.
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

  /// The contents of `rejects.csv`.
  var rejectsCSV: [UInt8] {
    var text = CSVText()
    text.append(header: RejectLog.header)
    for source in sources { source.rejects.write(to: &text) }
    return text.bytes
  }

  /// Returns the sources with more rejected or dangling rows than the pipeline allows. `previous` is the
  /// manifest of the last complete run's snapshot, if there is one. With `acceptsDrop`, the sources are not
  /// compared with that run.
  package func exceededLimits(previous: Manifest?, acceptsDrop: Bool = false) -> [RowLimitExceeded] {
    sources.compactMap {
      $0.exceededLimit(
        in: pipeline, previous: acceptsDrop ? nil : previous?.counts["sources"]?[$0.name])
    }
  }

  /// Checks whether the as-of time fits the exports and the last complete run.
  ///
  /// - Parameters:
  ///   - clock: The moment at which the run began; `nil` if the stage was started by hand.
  ///   - former: The manifest of the last complete run's snapshot, if there is one.
  /// - Returns: `ClockWentBack`, `AsOfWentBack`, or a `LaterLimitExceeded` for each source with too many
  ///   later rows. If the as-of time was given, only an as-of time after `clock` can be a fault.
  package func asOfFaults(clock: Instant?, after former: Manifest?) -> [any ErrorWithStatus] {
    if asOf.origin == .given {
      guard let clock, asOf.instant > clock else { return [] }
    } else if let former {
      if let clock, let fault = ClockWentBack(clock, after: former) { return [fault] }
      // The as-of time of the last complete run may be in the future if it was set with `--as-of`. With
      // `as_of: clock`, the machine's clock may therefore be earlier without being wrong.
      if pipeline.asOf == .newest, let fault = AsOfWentBack(asOf, after: former) { return [fault] }
    }
    return sources.compactMap {
      LaterLimitExceeded($0, limit: pipeline.laterLimit(of: $0.source), asOf)
    }
  }

  /// Checks that no export was replaced or modified after it was opened.
  ///
  /// - Throws: `FileError` for the first changed file.
  package func checkUnchanged() throws(FileError) {
    let others = checkIns.map(\.reading) + interactions.map(\.reading) + requests.map(\.reading)
    for reading in entities.values.map(\.reading) + others {
      try ExportStamp.check(reading.stamps)
    }
  }

  /// The digests of all files that were read, without duplicates, in the byte order of their paths.
  var inputs: [FileDigest] {
    let all =
      pipeline.entities.compactMap { entities[$0.name]?.reading.inputs }
      + checkIns.map(\.reading.inputs) + interactions.map(\.reading.inputs)
      + requests.map(\.reading.inputs)
    // Bytes are compared, because two file names may differ only in the encoding of an accent.
    let byPath = Dictionary(all.joined().map { (Array($0.path.utf8), $0) }) { _, last in last }
    return byPath.values.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }
}

extension InteractionRows {
  /// Counts the kept and the later rows.
  fileprivate mutating func divide(_ kept: KeptInteractions) {
    let isOneKind = interaction.user.entity == interaction.candidate.entity
    let accounts = kept.users.rowOfRank.count + kept.candidates.rowOfRank.count
    // The number of later rows of each account. A dictionary would be slow for an as-of time in the past,
    // because many rows are then later.
    var later: [UInt32] = []
    counts.kept = kept.count(rows) { user, candidate in
      if later.isEmpty { later = Array(repeating: 0, count: accounts) }
      later[kept.account(user: user, candidate: candidate, isOneKind: isOneKind)] += 1
    }
    counts.laterOfFewAccounts = RowsByAccount.beyondFirst(later)
    counts.take(rows.newestUsers(until: kept.asOf.milliseconds))
    counts.later = rows.count - counts.kept
  }
}
