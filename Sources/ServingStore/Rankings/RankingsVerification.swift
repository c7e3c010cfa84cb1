internal import Text

/// Compares the rows that a store serves with the rows that were published to it.
package struct RankingsVerification {
  /// The directory that the rank stage wrote.
  private let directory: String
  private let pipeline: String
  private let lists: [String]
  private let matches: [String]
  private let catalogs: [String]
  private let changing: [String: Set<String>]
  private let loadMore: (GenerationLoader) throws -> Void

  /// - Parameters:
  ///   - directory: The directory that the rank stage wrote.
  ///   - pipeline: The pipeline's name.
  ///   - lists: The names of the published lists.
  ///   - matches: The names of the published matches.
  ///   - catalogs: The names of the published catalogs.
  ///   - changing: For each entity, the published attributes that an erasure may have changed in the run
  ///     after the run was published. These attributes are not compared.
  ///   - loadingMore: Adds people, positions and the other published tables, as in a publication.
  package init(
    directory: String, pipeline: String, lists: [String], matches: [String], catalogs: [String] = [],
    changing: [String: Set<String>] = [:], loadingMore: @escaping (GenerationLoader) throws -> Void = { _ in }
  ) {
    self.directory = directory
    self.pipeline = pipeline
    self.lists = lists
    self.matches = matches
    self.catalogs = catalogs
    self.changing = changing
    loadMore = loadingMore
  }

  /// Compares every row of the run with the served generation, counts the rows in the store, and compares the
  /// digests of all tables.
  ///
  /// - Parameter store: The store to read.
  /// - Returns: The number of compared rows, and the differences; `nil` if the store serves nothing for the
  ///   pipeline.
  /// - Throws: `ServingStoreError`, about the store or about the files; errors of `loadingMore`.
  package func compare(with store: any ServingStore) throws -> StoreDifferences? {
    // Rows are counted, compared and digested in separate transactions. If a run is published between these
    // transactions, the comparison reports additional differences.
    let held = try store.heldTables(of: pipeline) ?? GenerationTables()
    let compared: StoreDifferences? = try store.read(pipeline: pipeline) { generation in
      var found = StoreDifferences()
      for list in lists { try compare(list: list, generation, held, &found) }
      for name in matches { try compare(matches: name, generation, held, &found) }
      for name in catalogs { try compare(catalog: name, generation, held, &found) }
      let others = PublishedRowsComparison(generation, found, changing: changing)
      try loadMore(GenerationLoader(others, store.address))
      return others.finish(held)
    }
    guard var found = compared else { return nil }
    // The digest covers parts that the lookups above do not read, but it does not identify the row.
    if found.differing == 0 { try compareDigests(with: store, &found) }
    return found
  }

  /// Adds a difference for each table whose digest differs.
  private func compareDigests(with store: any ServingStore, _ found: inout StoreDifferences) throws {
    guard let held = try store.heldDigest(of: pipeline) else { return }
    let rankings = RankingsPublication(
      directory: directory, pipeline: pipeline, run: 0, asOf: 0, keep: 1, lists: lists, matches: matches,
      catalogs: catalogs)
    let expected = try rankings.digest(for: store.address, threads: 1, loadingMore: loadMore)
    for (kind, name) in held.differingTables(from: expected) {
      if kind == .people, changing[name]?.isEmpty == false { continue }
      found.add("\(kind.table) of \(name): a value or the search index differs from the run")
    }
  }

  /// Adds a difference if the store has more than `rows` rows of the table.
  private static func addOthers(
    _ kind: TableKind, _ name: String, _ what: String, _ rows: Int, _ held: GenerationTables,
    _ found: inout StoreDifferences
  ) {
    found.rows += rows
    let others = held.rows(kind, name) - rows
    if others > 0 {
      found.add("\(name): the store has too many \(what): \(others.grouped) more than the run", rows: others)
    }
  }

  private func compare(
    list: String, _ generation: any ServedGeneration, _ held: GenerationTables,
    _ found: inout StoreDifferences
  ) throws {
    var rows = 0
    for part in try RankingsFiles(directory: directory).parts(of: list) {
      let blocks = try ListBlocks(path: part)
      var line = 0
      for number in 0..<blocks.count {
        let block = try blocks.block(number)
        var start = 0
        for (range, end) in zip(block.lines, block.idEnds) {
          line += 1
          rows += 1
          let served = try generation.document(
            list: list, user: StoredID(utf8: Array(block.ids[start..<end])))
          start = end
          if served == nil {
            found.add("\(part):\(line): the list is missing from the store")
          } else if served?.elementsEqual(block.bytes[range]) != true {
            found.add("\(part):\(line): the document in the store differs from this line")
          }
        }
        if let flaw = block.flaw { throw blocks.corrupt(flaw, line: line + 1) }
      }
    }
    Self.addOthers(.list, list, "lists", rows, held, &found)
  }

  private func compare(
    matches name: String, _ generation: any ServedGeneration, _ held: GenerationTables,
    _ found: inout StoreDifferences
  ) throws {
    let path = "\(directory)/\(name).csv"
    var rows = 0
    try MatchesFile.read(path) { line, user, other, matchedAt in
      rows += 1
      let expected = ServedMatch(
        other: StoredID(utf8: other),
        matchedAt: matchedAt.isEmpty ? nil : String(decoding: matchedAt, as: UTF8.self))
      let served = try generation.matches(name: name, user: StoredID(utf8: user))
      if !served.contains(expected) { found.add("\(path):\(line): the match is missing from the store") }
    }
    Self.addOthers(.matches, name, "matches", rows, held, &found)
  }

  private func compare(
    catalog name: String, _ generation: any ServedGeneration, _ held: GenerationTables,
    _ found: inout StoreDifferences
  ) throws {
    var rows = 0
    for part in try RankingsFiles(directory: directory).parts(of: name) {
      let blocks = try ListBlocks(path: part, member: .key)
      var line = 0
      var (key, place) = ([] as [UInt8], 0)
      for number in 0..<blocks.count {
        let block = try blocks.block(number)
        var start = 0
        for (range, end) in zip(block.lines, block.idEnds) {
          line += 1
          rows += 1
          let next = Array(block.ids[start..<end])
          start = end
          (key, place) = next == key ? (key, place + 1) : (next, 0)
          let served = try generation.entries(
            catalog: name, key: StoredID(utf8: key), place..<place + 1)
          if served.first?.elementsEqual(block.bytes[range]) != true {
            found.add("\(part):\(line): the store lacks this entry or has a different entry")
          }
        }
        if let flaw = block.flaw { throw blocks.corrupt(flaw, line: line + 1) }
      }
    }
    Self.addOthers(.catalog, name, "entries", rows, held, &found)
  }
}
