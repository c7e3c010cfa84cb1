import Concurrency
import Foundation

/// A rankings directory to publish as a generation of a store.
///
/// This type reads `<list>/part-*.jsonl` for lists and catalogs, with parts in byte order of their names, and
/// `<name>.csv` for matches. Files are read in chunks, so memory does not grow with their size.
package struct RankingsPublication {
  /// The directory that the rank stage wrote.
  package var directory: String
  package var pipeline: String
  /// The number of the run that made the rankings.
  package var run: Int
  /// The as-of time of the run, in milliseconds since 1970 UTC.
  package var asOf: Int64
  /// The note to record with the generation.
  package var note: GenerationNote
  /// The number of generations to keep, including the new generation; at least 1.
  package var keep: Int
  /// The lists to publish: names of directories. At least one list or catalog is needed.
  package var lists: [String]
  /// The matches to publish: names of CSV files, without `.csv`.
  package var matches: [String]
  /// The catalogs to publish: names of directories.
  package var catalogs: [String]

  package init(
    directory: String, pipeline: String, run: Int, asOf: Int64, note: GenerationNote = GenerationNote(),
    keep: Int,
    lists: [String],
    matches: [String] = [],
    catalogs: [String] = []
  ) {
    self.directory = directory
    self.pipeline = pipeline
    self.run = run
    self.asOf = asOf
    self.note = note
    self.keep = keep
    self.lists = lists
    self.matches = matches
    self.catalogs = catalogs
  }

  /// Publishes the directory to `store` as one generation.
  ///
  /// - Parameters:
  ///   - store: The store, opened for publishing.
  ///   - threads: The number of threads that read and check lists, including the loading thread.
  ///   - loadingMore: Adds people, positions and the other published tables from the caller's sources.
  ///   - observe: Called occasionally with the name of the table being loaded and its row count so far.
  ///   - beforeServing: Called once when the store contains the generation, just before the store serves it;
  ///     see `GenerationLoader`.
  /// - Returns: The served generation, and the pipeline's number of generations.
  /// - Throws: The errors of `ServingStore.publish` and of `loadingMore`.
  ///   `missingRankings`, `unreadableRankings` and `corruptRankings` are about the directory and include the
  ///   file and, if known, the line.
  @discardableResult
  package func publish(
    to store: any ServingStore, threads: Int = 1,
    loadingMore: (GenerationLoader) throws -> Void = { _ in },
    observe: @escaping (String, Int) -> Void = { _, _ in },
    beforeServing: @escaping (_ keepAlive: @escaping () throws -> Void) throws -> Void = { _ in }
  ) throws -> PublishedGeneration {
    // If a file is missing, this call throws before the store's lock is taken.
    let parts = try parts()
    return try store.publish(pipeline: pipeline, run: run, asOf: asOf, note: note, keep: keep) { loader in
      (loader.observe, loader.beforeServing) = (observe, beforeServing)
      try load(parts, into: loader, threads: threads)
      try loadingMore(loader)
    }
  }

  /// Returns the digest of the rows that a store contains after it has loaded this directory.
  ///
  /// - Parameters:
  ///   - address: The store, for errors.
  ///   - threads: The number of threads that read and check lists.
  ///   - loadingMore: Adds the other published tables, as in a publication.
  /// - Returns: The digest.
  /// - Throws: `ServingStoreError` about the files or their rows; errors of `loadingMore`.
  package func digest(
    for address: StoreAddress, threads: Int, loadingMore: (GenerationLoader) throws -> Void
  ) throws -> GenerationDigest {
    let sink = DigestSink()
    let loader = GenerationLoader(sink, address)
    try load(try parts(), into: loader, threads: threads)
    try loadingMore(loader)
    return sink.digest
  }

  /// The files of lists and catalogs, by name.
  private typealias Parts = [(name: String, files: [String])]

  private func parts() throws -> (lists: Parts, catalogs: Parts) {
    let files = RankingsFiles(directory: directory)
    return (
      try lists.map { ($0, try files.parts(of: $0)) }, try catalogs.map { ($0, try files.parts(of: $0)) }
    )
  }

  private func load(
    _ parts: (lists: Parts, catalogs: Parts), into loader: GenerationLoader, threads: Int
  ) throws {
    for (list, files) in parts.lists {
      try loader.begin(.list, list)
      for part in files { try Self.load(listPart: part, into: loader, threads: threads) }
    }
    for name in matches {
      try loader.begin(.matches, name)
      try Self.load(matches: "\(directory)/\(name).csv", into: loader)
    }
    for (name, files) in parts.catalogs {
      try loader.begin(.catalog, name)
      for part in files { try Self.load(catalogPart: part, into: loader, threads: threads) }
    }
  }

  /// Loads a part of the open list. All threads read and check blocks, and this thread, which has the store's
  /// connection, inserts the lines.
  private static func load(listPart path: String, into loader: GenerationLoader, threads: Int) throws {
    try forEachLine(of: path, .user, threads: threads) { document, id in
      try loader.add(.document(id: id, json: document, isChecked: true))
    }
  }

  /// Loads a part of the open catalog. The threads divide the work as for a list.
  private static func load(
    catalogPart path: String, into loader: GenerationLoader, threads: Int
  ) throws {
    try forEachLine(of: path, .key, threads: threads) { entry, key in
      try loader.add(.entry(key: key, json: entry))
    }
  }

  private static func forEachLine(
    of path: String, _ member: ListLine.Member, threads: Int,
    _ add: (_ document: Span<UInt8>, _ id: Span<UInt8>) throws -> Void
  ) throws {
    let blocks = try ListBlocks(path: path, member: member)
    var line = 0
    try parallelInOrder(count: blocks.count, threads: threads) { number in
      try blocks.block(number)
    } consume: { block in
      var idStart = 0
      for (range, idEnd) in zip(block.lines, block.idEnds) {
        line += 1
        let (document, id) = (block.bytes.span.extracting(range), block.ids.span.extracting(idStart..<idEnd))
        do {
          try add(document, id)
        } catch let error as ServingStoreError where error.code == .refused {
          // A row from the rank stage broke a rule of the store: for example, a user occurs twice.
          throw blocks.corrupt(error.found, line: line)
        }
        idStart = idEnd
      }
      if let flaw = block.flaw { throw blocks.corrupt(flaw, line: line + 1) }
    }
  }

  private static func load(matches path: String, into loader: GenerationLoader) throws {
    try MatchesFile.read(path) { _, user, other, matchedAt in
      try loader.add(.match(user: user.span, other: other.span, at: matchedAt.span))
    }
  }
}
