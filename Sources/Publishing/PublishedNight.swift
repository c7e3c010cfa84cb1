internal import Files
package import PipelineFile
internal import RunSchemas
package import ServingStore
internal import System
internal import Text
internal import Tombstones

/// The rankings of a run, and the other data that a publication of the run needs.
package struct PublishedNight {
  /// A cache of values that are computed once for all stores.
  private final class Known {
    var digest: GenerationDigest?
  }

  let pipeline: Pipeline
  /// The addresses of the stores, in the order of the pipeline file.
  let addresses: [StoreAddress]
  /// The number of generations that each store keeps.
  let keep: Int
  private let people: PublishedAttributes
  private let positions: PublishedPositions
  /// A digest of all published data: the ranking files, and the snapshot tables with published attributes or
  /// positions.
  let content: String
  private let lists: [PublicationGuards.ListCount]
  private let matches: [NamedCount]
  private let catalogs: [NamedCount]
  private let guards: PublicationGuards
  private let qualityGuards: QualityGuards?
  private let publication: RankingsPublication
  private let known = Known()
  /// The digest of the tombstones that ingest applied; `nil` if there were none.
  private let tombstones: String?

  package var pipelineName: String { pipeline.name }
  package var storeCount: Int { addresses.count }

  /// The number of rows of lists, matches and catalogs that a store receives. Published attributes and
  /// positions are not counted.
  package var listRows: Int {
    lists.reduce(0) { $0 + $1.users } + (matches + catalogs).reduce(0) { $0 + $1.rows }
  }

  /// Reads the manifests of a run.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline file.
  ///   - run: The run directory.
  ///   - requiresEvaluation: Whether a run without an evaluation is an error, if the pipeline file has limits
  ///     on quality.
  /// - Throws: `StageFailure` if the pipeline file publishes nothing or names a store twice, or if the run
  ///   lacks a required evaluation; `ServingStoreError` for an invalid address; `FileError` if the run has no
  ///   rankings, or if a stage of the run read data that differs from the data in the run.
  package init(_ pipeline: Pipeline, run: String, requiresEvaluation: Bool = true) throws {
    guard let publication = pipeline.publication else {
      throw StageFailure(
        .badPipelineFile,
        "\(pipeline.file) has no 'publish', so the run cannot be published. Add 'publish.store'.")
    }
    try pipeline.checkDistinctStores()
    self.pipeline = pipeline
    keep = publication.keep
    let rankings = run + "/rankings"
    let snapshot = run + "/snapshot"
    let inputs = Directories.exists(snapshot) ? try Manifest(of: snapshot).inputs : []
    tombstones = inputs.first { $0.path == TombstoneSet.inputPath }?.sha256
    let manifest = try Manifest(of: rankings)
    if Directories.exists(snapshot) { _ = try Manifest.parents(["snapshot", "rankings"], in: run) }
    if !publication.positions.isEmpty { _ = try Manifest.parents(["snapshot", "index"], in: run) }
    content = try PublishedContent.digest(of: run, publication)
    var addresses: [StoreAddress] = []
    for store in publication.stores {
      addresses.append(try StoreAddress(parsing: store, relativeTo: pipeline.directory))
    }
    self.addresses = addresses
    let usualDrop = Pipeline.Expectations.usualDrop
    // The limit in the pipeline file applies to users. For rows, only a large drop indicates a problem.
    guards = PublicationGuards(
      usersDropAtMost: publication.usersDropAtMost ?? usualDrop,
      leastDrop: publication.usersDropAtMost == nil ? Pipeline.Expectations.leastDrop : 1,
      rowsDropAtMost: max(publication.usersDropAtMost ?? usualDrop, usualDrop),
      leastRowsDrop: Pipeline.Expectations.leastDrop, listsEmptyAtMost: publication.listsEmptyAtMost)
    qualityGuards = try QualityGuards(
      publication.quality, run: run, pipelineFile: pipeline.file, overrides: pipeline.overrides,
      requiresEvaluation: requiresEvaluation)
    lists = pipeline.rankings.map { ranking in
      let users = manifest.counts["lists"]?[ranking.name]?["users"]
      return PublicationGuards.ListCount(
        name: ranking.name, users: users?["total"]?.integerValue ?? 0,
        empty: users?["empty_lists"]?.integerValue ?? 0)
    }
    matches = pipeline.matches.map {
      NamedCount(name: $0.name, rows: manifest.counts["matches"]?[$0.name]?.integerValue ?? 0)
    }
    let entries = CatalogCounts.entries(in: manifest.counts)
    catalogs = pipeline.catalogs.map {
      NamedCount(name: $0.name, rows: entries[$0.name]?.integerValue ?? 0)
    }
    self.publication = RankingsPublication(
      directory: rankings, pipeline: pipeline.name,
      run: Int(Directories.resolved(run).split(separator: "/").last ?? "") ?? 0,
      asOf: manifest.asOf.milliseconds, keep: publication.keep, lists: pipeline.rankings.map(\.name),
      matches: pipeline.matches.map(\.name), catalogs: pipeline.catalogs.map(\.name))
    people = try PublishedAttributes(publication, pipeline, run: run)
    positions = PublishedPositions(publication, pipeline, run: run)
  }

  /// Returns whether the store already serves this run, and still contains exactly the rows of the run.
  ///
  /// The store's note alone does not reveal lost or changed rows, for example after a partial
  /// restore or an edit by hand.
  func isHeld(by store: any ServingStore, _ served: GenerationSummary, threads: Int) throws -> Bool {
    guard served.note.content == content else { return false }
    return try store.heldDigest(of: pipeline.name) == digest(for: store.address, threads: threads)
  }

  /// Returns the digest of all rows to publish, which is the same for each store.
  private func digest(for address: StoreAddress, threads: Int) throws -> GenerationDigest {
    if let digest = known.digest { return digest }
    let digest = try publication.digest(for: address, threads: threads, loadingMore: load)
    known.digest = digest
    return digest
  }

  /// The number of rows of each list, each table of matches, and each catalog.
  var rows: [NamedCount] {
    lists.map { NamedCount(name: $0.name, rows: $0.users) } + matches + catalogs
  }

  /// Returns the guards that reject the run, each with its reason.
  func violations(served: GenerationSummary?) -> [PublicationGuards.Violation] {
    guards.violations(lists, others: matches + catalogs, served: served) + (qualityGuards?.violations ?? [])
  }

  func refusal(
    _ violations: [PublicationGuards.Violation], _ address: StoreAddress, served: GenerationSummary?
  ) -> ServingStoreError {
    let found = violations.map { "\($0.guardName): \($0.found)" }.joined(separator: "; ")
    let directory = Directories.parent(of: publication.directory)
    let run = ShownPath.short(directory)
    let work = RunDirectories(around: directory).map { ShownPath.short($0.work) }
    let command =
      violations.allSatisfy(\.isDrop)
      ? ShownCommand.text(
        "run", pipeline.file, set: pipeline.overrides, work: work, "--resume", "--accept-drop")
      : ShownCommand.text(
        "publish", pipeline.file, set: pipeline.overrides, "--run-dir", run, "--force")
    let still =
      served.map { "generation \($0.number) is still served" } ?? "the store has not served a generation yet"
    return ServingStoreError(
      .guarded, address: address.description, found: found,
      nextStep:
        "\(still). Check the exports and the rejects of this run. If the lists are right, publish them with "
        + "'\(command)'")
  }

  /// Returns the data for a store, with a note that names the overridden guards.
  func publication(overriding violations: [PublicationGuards.Violation]) -> RankingsPublication {
    var publication = publication
    publication.note = GenerationNote(
      content: content, overridden: violations.guardNames, tombstones: tombstones,
      empty: Dictionary(lists.map { ($0.name, $0.empty) }, uniquingKeysWith: { first, _ in first }))
    return publication
  }

  /// Loads the published tables other than the rankings.
  func load(_ loader: GenerationLoader) throws {
    try people.load(loader)
    try positions.load(loader)
  }

  func report(
    _ address: StoreAddress, generation: Int, rows: [NamedCount], other: [String: JSONValue]
  ) -> JSONValue {
    let counts = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, JSONValue.integer($0.rows)) })
    return .object(
      [
        "generation": .integer(generation), "store": .string(address.shown), "rows": .object(counts),
      ].merging(other) { $1 })
  }
}

extension RankingsVerification {
  /// Creates the comparison of a store with the rows that were published from the run directory `run`.
  ///
  /// - Throws: `FileError` if the run's snapshot is missing or damaged.
  package init(_ pipeline: Pipeline, run: String) throws {
    let others = try pipeline.publication.map { publication in
      (
        people: try PublishedAttributes(publication, pipeline, run: run),
        positions: PublishedPositions(publication, pipeline, run: run)
      )
    }
    // An erasure changes computed attributes of other people in the snapshot. Stores keep the published
    // values until the next run.
    let sources = try Manifest(of: run + "/" + Stage.ingest.directory).counts["sources"]?.members ?? [:]
    let isErased = sources.values.contains { ($0["erased"]?.integerValue ?? 0) > 0 }
    let computed = pipeline.entities.map { ($0.name, Set($0.computed.map(\.name))) }
    self.init(
      directory: run + "/rankings", pipeline: pipeline.name, lists: pipeline.rankings.map(\.name),
      matches: pipeline.matches.map(\.name), catalogs: pipeline.catalogs.map(\.name),
      changing: isErased ? Dictionary(uniqueKeysWithValues: computed) : [:]
    ) { loader in
      try others?.people.load(loader)
      try others?.positions.load(loader)
    }
  }
}
