import Foundation
import Reproducible
import Tables

/// A rankings directory that is to become a generation of a store.
///
/// Reads `<list>/part-*.jsonl`, the parts in byte order of their names, and `<name>.csv` for matches, a chunk at
/// a time: memory does not grow with the files.
package struct RankingsPublication {
  /// The directory that the rank stage wrote.
  package var directory: String
  package var pipeline: String
  /// The run that made the rankings.
  package var run: Int
  /// That run's as-of time, in milliseconds since 1970 UTC.
  package var asOf: Int64
  /// How many generations the store keeps, this one included: at least 1.
  package var keep: Int
  /// The lists to publish, at least one: names of directories.
  package var lists: [String]
  /// The matches to publish: names of CSV files, without `.csv`.
  package var matches: [String]

  package init(
    directory: String, pipeline: String, run: Int, asOf: Int64, keep: Int, lists: [String],
    matches: [String] = []
  ) {
    self.directory = directory
    self.pipeline = pipeline
    self.run = run
    self.asOf = asOf
    self.keep = keep
    self.lists = lists
    self.matches = matches
  }

  /// Publishes the directory to `store` as one generation.
  ///
  /// - Parameters:
  ///   - store: Where to; opened for publishing.
  ///   - threads: How many threads read and check lists, the one that loads them included.
  ///   - loadingPeople: Adds the people whose attributes are published, from wherever the caller has them.
  /// - Returns: What is now served, and how many generations the pipeline has.
  /// - Throws: `ServingStoreError`; `missingRankings`, `unreadableRankings` and `corruptRankings` are about the
  ///   directory, with file and line. Whatever `loadingPeople` throws. The store is then as it was.
  @discardableResult
  package func publish(
    to store: any ServingStore, threads: Int = 1,
    loadingPeople: (any GenerationLoader) throws -> Void = { _ in }
  ) throws -> PublishedGeneration {
    // Found before the store's lock is taken.
    let parts = try lists.map { list in (list, try self.parts(of: list)) }
    return try store.publish(pipeline: pipeline, run: run, asOf: asOf, keep: keep) { loader in
      for (list, parts) in parts {
        try loader.beginList(list)
        for part in parts { try Self.load(listPart: part, into: loader, threads: threads) }
      }
      for name in matches {
        try loader.beginMatches(name)
        try Self.load(matches: "\(directory)/\(name).csv", into: loader)
      }
      try loadingPeople(loader)
    }
  }

  /// The paths of a list's parts; at least one.
  private func parts(of list: String) throws(ServingStoreError) -> [String] {
    let path = "\(directory)/\(list)"
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw missing(path, "the list's directory cannot be read")
    }
    let parts = names.filter { $0.hasPrefix("part-") && $0.hasSuffix(".jsonl") }
    guard !parts.isEmpty else { throw missing(path, "the list's directory has no part-*.jsonl") }
    return parts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\(path)/\($0)" }
  }

  private func missing(_ path: String, _ found: String) -> ServingStoreError {
    ServingStoreError(
      .missingRankings, address: directory, place: .init(file: path), found: found,
      nextStep: "run the rank stage, or correct the list's name")
  }

  /// Loads a part of the open list: blocks of it are read and checked on all threads, and inserted on this one, which
  /// has the store's connection.
  private static func load(listPart path: String, into loader: any GenerationLoader, threads: Int) throws {
    let blocks = try ListBlocks(path: path)
    var line = 0
    try parallelInOrder(count: blocks.count, threads: threads) { number in
      try blocks.block(number)
    } consume: { block in
      var idStart = 0
      for (range, idEnd) in zip(block.lines, block.idEnds) {
        line += 1
        let (document, id) = (block.bytes.span.extracting(range), block.ids.span.extracting(idStart..<idEnd))
        do {
          try loader.addDocument(document, user: id, isChecked: true)
        } catch let error as ServingStoreError where error.code == .refused {
          // A row that the rank stage wrote broke a rule of the store: a user twice.
          throw blocks.corrupt(error.found, line: line)
        }
        idStart = idEnd
      }
      if let flaw = block.flaw { throw blocks.corrupt(flaw, line: line + 1) }
    }
  }

  private static func load(matches path: String, into loader: any GenerationLoader) throws {
    var reader = try LineReader(path: path)
    var record = MatchesRecord()
    var isHeader = true
    var isComplete = true
    try placing(&reader) { line in
      do throws(MatchesRecord.Flaw) {
        isComplete = try record.take(line)
      } catch {
        return error.rawValue
      }
      guard isComplete else { return nil }
      if isHeader {
        isHeader = false
        return record.fields == header ? nil : "the header is not user_id,other_user_id,matched_at"
      }
      // The file is for people too, so ids stand in it as `CSVText` writes text.
      let user = CSVText.decoded(record.fields[0])
      let other = CSVText.decoded(record.fields[1])
      let matchedAt = record.fields[2]
      try loader.addMatch(user: user.span, other: other.span, matchedAt: matchedAt.span)
      return nil
    }
    guard isComplete else { throw reader.corrupt("the file ends inside quotes") }
    guard !isHeader else { throw reader.corrupt("the file has no header") }
  }

  private static let header = ["user_id", "other_user_id", "matched_at"].map { Array($0.utf8) }

  /// Hands every line to `body` and turns the flaw that it returns, or the store's refusal, into an error with
  /// the line's place.
  private static func placing(
    _ reader: inout LineReader, _ body: (Span<UInt8>) throws -> String?
  ) throws {
    while true {
      var flaw: String?
      do {
        guard try reader.next({ flaw = try body($0) }) else { return }
      } catch let error as ServingStoreError where error.code == .refused {
        // A row that the rank stage wrote broke a rule of the store: an id twice, a document that is not JSON.
        flaw = error.found
      }
      if let flaw { throw reader.corrupt(flaw) }
    }
  }
}
