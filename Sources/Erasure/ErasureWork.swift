internal import Files
internal import PipelineFile
internal import Publishing
internal import RunSchemas
internal import ServingStore
internal import System
internal import Text
internal import Tombstones

/// Removes a person from all runs and stores, one after another. A failure in one run or store does not stop
/// the work on the others.
struct ErasureWork {
  let pipeline: Pipeline
  let runs: RunDirectories
  /// The ids to erase: the person, people with a tombstone who were found in a run, and the rows that these
  /// people own in any run.
  private(set) var ids: ErasedIDs
  /// The tombstones before the erasure. `tombstones` also includes the new tombstone.
  private let before: TombstoneSet
  private let tombstones: TombstoneSet
  private let isDryRun: Bool
  private let tool: String
  private let observe: (ErasureRemark) -> Void
  /// The number of removed items, or of found items in a dry run.
  private(set) var total = 0
  /// The last failure. `observe` received the earlier failures.
  private(set) var failure: (any Error)?
  /// Maps the digest of each published run's old content to the digest of its new content.
  private var contents: [String: String] = [:]

  init(
    pipeline: Pipeline, runs: RunDirectories, ids: ErasedIDs, before: TombstoneSet, tombstones: TombstoneSet,
    isDryRun: Bool, tool: String, observe: @escaping (ErasureRemark) -> Void
  ) {
    (self.pipeline, self.runs, self.ids) = (pipeline, runs, ids)
    (self.before, self.tombstones, self.isDryRun) = (before, tombstones, isDryRun)
    (self.tool, self.observe) = (tool, observe)
  }

  mutating func eraseRuns() {
    let directory = runs.root + "/runs"
    remembering { work in
      if !work.isDryRun { try RunErasure.removeLeftovers(in: directory) }
      let numbers = try work.runs.numbers()
      // All ids are collected first, because an owned row that is in only one snapshot may be among the
      // rejects of other runs.
      var erasure = work.erasure
      for number in numbers {
        // If a run is unreadable, the next loop reports the error.
        if let found = try? erasure.belongings(in: work.runs.path(of: number)) { work.ids.formUnion(found) }
      }
      erasure = work.erasure
      for number in numbers {
        work.remembering { try $0.erase(run: number, by: erasure) }
      }
    }
  }

  private var erasure: RunErasure {
    RunErasure(ids, tombstones: tombstones, tool: tool)
  }

  private mutating func erase(run number: Int, by erasure: RunErasure) throws {
    var content: (old: String, new: String)?
    let erased = try readable(number) { directory in
      try erasure.erase(directory, isDryRun: isDryRun) { old, new, pipeline in
        guard let publication = pipeline.publication, Directories.exists(old + "/rankings") else {
          return
        }
        content = (
          try PublishedContent.digest(of: old, publication),
          try PublishedContent.digest(of: new, publication)
        )
      }
    }
    if let content { contents[content.old] = content.new }
    if let erased { ids.formUnion(erased.ids) }
    let counts = erased?.counts ?? RunErasureCounts()
    total += counts.total
    report(
      "run \(number)",
      [
        (counts.entities, "row", "rows"), (counts.interactions, "interaction", "interactions"),
        (counts.models, "model", "models"), (counts.lists, "list", "lists"),
        (counts.places, "entry on other lists", "entries on other lists"),
        (counts.matches, "match", "matches"), (counts.rejects, "reject", "rejects"),
      ])
  }

  /// Calls `body` with the directory of a run. If this version cannot read or edit the run, the run may still
  /// contain the person, so the error message states how to finish the erasure.
  private func readable<Result>(_ number: Int, _ body: (String) throws -> Result) throws -> Result {
    let directory = runs.path(of: number)
    do {
      return try body(directory)
    } catch let error as FileError
      where error.operation == .read || error.advice == DecodingFault.adviceForRuns
    {
      let remedy =
        error.advice == DecodingFault.adviceForRuns
        ? "Use the version that made this run, or delete the run's directory" : "Delete the run's directory"
      throw StageFailure(
        .ioError,
        "run \(number) is unchanged and may still contain the person: '\(error.path)': \(error.reason). \(remedy) "
          + "'\(directory)', then run the command again.")
    }
  }

  /// Removes the person from all stores.
  ///
  /// - Throws: `ServingStoreError` for an invalid address.
  mutating func eraseStores() throws {
    for store in pipeline.publication?.stores ?? [] {
      let address = try StoreAddress(parsing: store, relativeTo: pipeline.directory)
      remembering { try $0.erase(from: address) }
    }
  }

  private mutating func erase(from address: StoreAddress) throws {
    guard try exists(address) else {
      observe(.result("\(address.shown): the store does not exist yet"))
      return
    }
    let store = try address.open(for: isDryRun ? .dryRun : .publishing)
    let search = TombstoneSearch(pipeline: pipeline, tombstones: tombstones)
    var ids = ids
    ids.formUnion(try search.found(in: store, unlessCheckedAgainst: before))
    let erasure = try store.erase(
      search.people(ids), of: pipeline.name,
      ErasureOptions(contents: contents, tombstones: tombstones.digest, isDryRun: isDryRun))
    total += erasure.total
    report(
      "\(address.shown), \(erasure.generations.counted("generation"))",
      [
        (erasure.lists, "list", "lists"),
        (erasure.places, "entry on other lists", "entries on other lists"),
        (erasure.matches, "match", "matches"), (erasure.people, "profile", "profiles"),
        (erasure.positions, "position", "positions"),
        (erasure.entries, "catalog entry", "catalog entries"),
      ])
    for remark in erasure.remarks { observe(.warning("\(address.shown): \(remark)")) }
  }

  /// Returns whether the store exists. An erasure must not create one.
  private func exists(_ address: StoreAddress) throws -> Bool {
    do throws(ServingStoreError) {
      _ = try address.open(for: .reading)
      return true
    } catch {
      if error.code == .absent { return false }
      // The store may exist. `erase` then opens the store for changes, and either throws the error or waits
      // until the store is free.
      return true
    }
  }

  private func report(_ place: String, _ counts: [(count: Int, one: String, many: String)]) {
    let parts = counts.filter { $0.count > 0 }.map { $0.count.counted($0.one, $0.many) }
    let removed = (isDryRun ? "would remove " : "removed ") + parts.joined(separator: ", ")
    observe(.result("\(place): " + (parts.isEmpty ? "nothing to remove" : removed)))
  }

  private mutating func remembering(_ body: (inout ErasureWork) throws -> Void) {
    do {
      try body(&self)
    } catch {
      if let failure { observe(.warning("\(failure)")) }
      failure = error
    }
  }
}

/// The progress of an erasure.
package enum ErasureRemark: Hashable, Sendable {
  /// One line of the result: the removed items and their place, without the id.
  case result(String)
  /// A failure, or a step that the user has to take.
  case warning(String)
}
