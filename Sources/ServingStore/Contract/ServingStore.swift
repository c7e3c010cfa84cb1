package import Geohash

/// A store that keeps published generations and serves one of them per pipeline.
///
/// The module `ServingStore` writes generations of lists to SQLite, PostgreSQL or Redis, reads them back, and
/// removes erased people from the stores. The module must not depend on `PipelineFile`, `Models` or
/// `Ranking`: callers pass rows of bytes. A new back end therefore implements only this contract.
///
/// All back ends pass the same test suite. A back end implements the requirements below; the lookups in the
/// extension use `read`.
package protocol ServingStore: Sendable {
  /// The location of the store, for messages.
  var address: StoreAddress { get }

  /// Atomically loads a new generation, serves it, and drops the oldest generations.
  ///
  /// The generation gets the next number, and `load` fills it. The store's row counts and a sample of its
  /// rows are compared with the loaded rows. Then the store serves the new generation, and keeps only the
  /// newest `keep` generations. Readers see the complete old generation before the switch and the complete
  /// new generation after the switch, even if this process is killed.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline's name, which is not empty and contains no U+0000.
  ///   - run: The number of the run that made the lists.
  ///   - asOf: The as-of time of the run, in milliseconds since 1970 UTC.
  ///   - note: The note to keep with the generation.
  ///   - keep: The number of generations to keep, including the new one; at least 1.
  ///   - load: Called once, with a loader that is valid until `load` returns. `load` must not publish.
  /// - Returns: The generation that is now served, and the number of the pipeline's generations.
  /// - Throws: Errors of `load` and of the loader's `beforeServing`, unchanged, or a `ServingStoreError`. Its
  ///   code is `busy` if another writer holds the lock. Its code is `refused` if `keep` is below 1, if `load`
  ///   adds neither a list nor a catalog, or if a row breaks a rule. An error of the loader is thrown even if
  ///   `load` caught it. After an error, the store serves the same generation as before, unless the
  ///   connection was lost during the switch to the new generation.
  @discardableResult
  func publish(
    pipeline: String, run: Int, asOf: Int64, note: GenerationNote, keep: Int,
    _ load: (GenerationLoader) throws -> Void
  ) throws -> PublishedGeneration

  /// Calls `body` with the served generation of the pipeline, if there is one.
  ///
  /// Everything that `body` reads is from one generation, even if another process publishes meanwhile.
  ///
  /// - Parameters:
  ///   - pipeline: The pipeline's name.
  ///   - body: Called at most once, with a generation that must not be used after `body` returns.
  /// - Returns: The result of `body`, or `nil` if the store serves no generation of the pipeline.
  /// - Throws: Errors of `body`, unchanged, or a `ServingStoreError`.
  func read<Result>(
    pipeline: String, _ body: (any ServedGeneration) throws -> Result
  ) throws -> Result?

  /// Serves a generation that the store already contains. No rows change.
  ///
  /// - Parameters:
  ///   - generation: The number of the generation.
  ///   - pipeline: The pipeline's name.
  /// - Throws: A `ServingStoreError`, with `refused` if the store does not contain the generation, and `busy`
  ///   if another writer holds the lock. After an error, the store serves the same generation as before,
  ///   unless the connection was lost during the switch to `generation`.
  func serve(generation: Int, of pipeline: String) throws

  /// Removes people from every generation in the store, as users and as candidates.
  ///
  /// Their lists, published attributes, positions and matches are deleted. The people are also removed from
  /// other people's lists, where the remaining ranks are renumbered, and from catalogs, where the JSON of the
  /// remaining entries is unchanged. Readers see each document either before or after the change. A SQL store
  /// removes all rows in one transaction. Then the store removes traces of the rows, for example in log
  /// files, if the account has the rights. Other traces are reported.
  ///
  /// - Parameters:
  ///   - people: The people, and the tables that may contain them.
  ///   - pipeline: The pipeline's name.
  ///   - options: The digests to record, and whether rows are only counted.
  /// - Returns: The numbers of removed rows. They are 0 if the store contains none of the people, which is
  ///   not an error.
  /// - Throws: A `ServingStoreError`, with `busy` if another writer holds the lock, or if a reader of an
  ///   older state keeps removed rows in the store's files. After any error, call `erase` again to finish the
  ///   work.
  @discardableResult
  func erase(_ people: ErasedPeople, of pipeline: String, _ options: ErasureOptions) throws -> StoreErasure

  /// Counts the stored rows of the served generation, instead of reading the recorded numbers.
  ///
  /// The counts differ from the recorded numbers if rows were lost or added, for example by a partial
  /// restore.
  ///
  /// - Parameter pipeline: The pipeline's name.
  /// - Returns: The recorded tables with their real numbers of rows; `nil` if nothing is served.
  /// - Throws: A `ServingStoreError`.
  /// - Complexity: O(n) in the rows of the generation; in Redis, in the keys of the whole database.
  func heldTables(of pipeline: String) throws -> GenerationTables?

  /// Reads all rows of the served generation, and digests them.
  ///
  /// - Parameter pipeline: The pipeline's name.
  /// - Returns: The digest, which equals the digest of a publication with the same rows; `nil` if nothing is
  ///   served.
  /// - Throws: A `ServingStoreError`.
  /// - Complexity: O(n) in the bytes of the generation; in Redis, also in the keys of the whole database.
  func heldDigest(of pipeline: String) throws -> GenerationDigest?

  /// Calls `visit` with every id in a generation and the role of the id. Ids come in any order and may
  /// repeat.
  ///
  /// - Parameters:
  ///   - generation: The number of the generation. A generation that the store does not contain has no ids.
  ///   - pipeline: The pipeline's name.
  ///   - visit: Receives the ids.
  /// - Throws: Errors of `visit`, unchanged, or a `ServingStoreError`.
  func visitIDs(
    in generation: Int, of pipeline: String, _ visit: (StoredRole, StoredID) throws -> Void
  ) throws

  /// Returns the pipeline's generations in the store, newest first; empty for an unknown pipeline.
  func generations(pipeline: String) throws -> [GenerationSummary]
}

/// The generation that a reader sees.
package protocol ServedGeneration {
  /// The number, run, as-of time and row counts of the generation.
  var summary: GenerationSummary { get }

  /// Returns the JSON document of one user in one list, byte for byte as it was loaded; `nil` if there is
  /// none.
  func document(list: String, user: StoredID) throws -> [UInt8]?

  /// Returns the matches of a user, on either side of a match, in byte order of the other side's ids.
  ///
  /// A match that was loaded in both directions with the same time counts once. The result is empty for an
  /// unknown user or name.
  func matches(name: String, user: StoredID) throws -> [ServedMatch]

  /// Returns the JSON of the published attributes of a person or thing; `nil` if there are none.
  func person(entity: String, id: StoredID) throws -> [UInt8]?

  /// Returns the position of a person or thing; `nil` if no position was published.
  func position(entity: String, id: StoredID) throws -> Coordinate?

  /// Returns the people and things near a place, sorted by distance, then by id. Circles may cross the
  /// antimeridian or contain a pole.
  ///
  /// - Parameters:
  ///   - entity: The entity. An unknown entity has no positions.
  ///   - center: The place.
  ///   - radius: The radius in kilometers along the great circle, inclusive; not negative.
  /// - Returns: All people and things with a published position within the radius. Distances are compared in
  ///   full precision.
  /// - Throws: A `ServingStoreError`.
  func positions(entity: String, around center: Coordinate, within radius: Double) throws -> [ServedPosition]

  /// Returns the JSON bucket of a cell, which contains row counts; `nil` if the cell has no bucket.
  func bucket(entity: String, cell: Geohash) throws -> [UInt8]?

  /// Returns the JSON of entries of a catalog, best first.
  ///
  /// - Parameters:
  ///   - catalog: The name of the catalog. An unknown catalog has no entries.
  ///   - key: The key. An unknown key has no entries.
  ///   - range: The indices of the entries, from 0. The range may extend beyond the last entry.
  /// - Returns: The JSON of the entries, byte for byte as it was loaded.
  /// - Throws: A `ServingStoreError`.
  func entries(catalog: String, key: StoredID, _ range: Range<Int>) throws -> [[UInt8]]
}

extension ServedGeneration {
  /// The names of the lists, including lists without documents, in byte order.
  package var listNames: [String] {
    summary.tables.lists.map(\.name)
  }
}

extension ServingStore {
  /// Returns the served generation of the pipeline; `nil` if the store serves none.
  package func currentGeneration(pipeline: String) throws -> GenerationSummary? {
    try read(pipeline: pipeline) { $0.summary }
  }

  /// Returns the names of the pipeline's served lists, in byte order; empty if the store serves no
  /// generation.
  package func listNames(pipeline: String) throws -> [String] {
    try read(pipeline: pipeline) { $0.listNames } ?? []
  }

  /// Returns the served JSON document of one user in one list; `nil` if there is none.
  ///
  /// Use `read` for several lookups, because a new generation may be published between two calls.
  package func listDocument(pipeline: String, list: String, user: StoredID) throws -> [UInt8]? {
    try read(pipeline: pipeline) { try $0.document(list: list, user: user) } ?? nil
  }

  /// Returns the matches of a user, on either side of a match, in byte order of the other side's ids.
  package func matches(pipeline: String, name: String, user: StoredID) throws -> [ServedMatch] {
    try read(pipeline: pipeline) { try $0.matches(name: name, user: user) } ?? []
  }

  /// Returns the served JSON of the published attributes of a person or thing; `nil` if there are none.
  package func person(pipeline: String, entity: String, id: StoredID) throws -> [UInt8]? {
    try read(pipeline: pipeline) { try $0.person(entity: entity, id: id) } ?? nil
  }
}
