import Geohash
internal import Text

/// The loader of every back end: checks each row, counts, and remembers the first failure.
final class CheckedLoader<Sink: GenerationSink>: GenerationLoader {
  /// A table that was begun, and how many rows went into it.
  private struct Table {
    var kind: TableKind
    var name: String
    var rows = 0
    var sample = RowSample()
    /// Of a catalog: the key whose entries come, how many came, and the keys that had their turn.
    var key: [UInt8]?
    var rank = 0
    var keys: Set<[UInt8]> = []
  }

  /// The tables begun so far; the last one is open.
  private var begun: [Table] = []
  /// The first failure, also when the closure that loads has swallowed it.
  private var failure: ServingStoreError?

  private let sink: Sink
  private let address: StoreAddress
  private var rules: RowRules
  private var isClosed = false

  init(_ sink: Sink, _ address: StoreAddress) {
    self.sink = sink
    self.address = address
    rules = RowRules(address)
  }

  /// What was loaded.
  var tables: GenerationTables {
    var tables = GenerationTables()
    for kind in TableKind.allCases {
      tables[kind] = begun.filter { $0.kind == kind }.map { NamedCount(name: $0.name, rows: $0.rows) }
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
    return tables
  }

  /// Ends loading: whoever kept the loader traps. Counts what the store holds against what was loaded, and compares some
  /// of it.
  ///
  /// - Throws: What went wrong while loading; that there is no list; that the store does not hold what was loaded.
  func close() throws {
    isClosed = true
    if let failure { throw failure }
    guard begun.contains(where: { $0.kind == .list || $0.kind == .catalog }) else {
      throw ServingStoreError.refusal(address, "the generation has no list and no catalog")
    }
    try sink.end()
    for (number, table) in begun.enumerated() {
      let stored = try sink.count(table: number, table.kind)
      guard stored == table.rows else {
        throw ServingStoreError.refusal(
          address, "\(table.name): \(table.rows) rows were loaded, the store holds \(stored)")
      }
      for row in table.sample.rows {
        guard try sink.holds(row, table: number, table.kind) else {
          throw ServingStoreError.refusal(address, "\(table.name): a row did not come back as it was loaded")
        }
      }
    }
  }

  func beginList(_ name: String) throws { try begin(.list, name) }
  func beginMatches(_ name: String) throws { try begin(.matches, name) }
  func beginPeople(_ entity: String) throws { try begin(.people, entity) }
  func beginPositions(_ entity: String) throws { try begin(.positions, entity) }
  func beginBuckets(_ entity: String) throws { try begin(.buckets, entity) }
  func beginCatalog(_ name: String) throws { try begin(.catalog, name) }

  func addDocument(_ document: Span<UInt8>, user: Span<UInt8>, isChecked: Bool) throws {
    try add(.list) { table in
      if !isChecked {
        try rules.checkID(user)
        try rules.checkJSON(document, "a document")
      }
      try sink.add(user, document)
      table.sample.add { .document(id: StoredID(copying: user), json: Array(copying: document)) }
    }
  }

  func addMatch(user: Span<UInt8>, other: Span<UInt8>, matchedAt: Span<UInt8>) throws {
    try add(.matches) { table in
      try rules.checkID(user)
      try rules.checkID(other)
      try rules.checkText(matchedAt, "the instant of a match")
      try sink.add(match: user, other, at: matchedAt)
      table.sample.add {
        .match(user: StoredID(copying: user), other: StoredID(copying: other), at: Array(copying: matchedAt))
      }
    }
  }

  func addPerson(attributes: Span<UInt8>, id: Span<UInt8>) throws {
    try add(.people) { table in
      try rules.checkID(id)
      try rules.checkJSON(attributes, "a person's attributes")
      try sink.add(id, attributes)
      table.sample.add { .document(id: StoredID(copying: id), json: Array(copying: attributes)) }
    }
  }

  func addPosition(_ position: Coordinate, cell: Geohash, id: Span<UInt8>) throws {
    try add(.positions) { table in
      try rules.checkID(id)
      try sink.add(position: position, cell: cell, of: id)
      table.sample.add { .position(id: StoredID(copying: id), position) }
    }
  }

  func addBucket(_ bucket: Span<UInt8>, cell: Geohash) throws {
    try add(.buckets) { table in
      try rules.checkJSON(bucket, "a bucket")
      let id = Array(cell.description.utf8)
      try sink.add(id.span, bucket)
      table.sample.add { .document(id: StoredID(utf8: id), json: Array(copying: bucket)) }
    }
  }

  func addEntry(_ entry: Span<UInt8>, key: Span<UInt8>) throws {
    try add(.catalog) { table in
      if table.key.map({ ByteOrder.equal(key, $0.span) }) != true {
        try rules.checkID(key)
        try rules.checkText(key, "the key of a catalog")
        let next = Array(copying: key)
        (table.key, table.rank) = (next, 0)
        guard table.keys.insert(next).inserted else {
          throw ServingStoreError.refusal(address, "\(table.name): the entries of a key are not together")
        }
      }
      try rules.checkJSON(entry, "an entry")
      table.rank += 1
      try sink.add(entry: entry, rank: table.rank, of: key)
      let rank = table.rank
      table.sample.add { .entry(key: Array(copying: key), rank: rank, json: Array(copying: entry)) }
    }
  }

  private func begin(_ kind: TableKind, _ name: String) throws {
    try remembering {
      try ServingStoreError.checkName(name, what: kind.rawValue, address)
      guard !begun.contains(where: { $0.kind == kind && $0.name.utf8.elementsEqual(name.utf8) }) else {
        throw ServingStoreError.refusal(address, "\(kind.rawValue) '\(name)' was begun twice")
      }
      try sink.begin(kind, name)
      begun.append(Table(kind: kind, name: name))
    }
  }

  private func add(_ kind: TableKind, _ insert: (inout Table) throws -> Void) throws {
    try remembering {
      guard let open = begun.indices.last, begun[open].kind == kind else {
        preconditionFailure("a row of kind \(kind.rawValue) was added while no such table was open")
      }
      try insert(&begun[open])
      begun[open].rows += 1
    }
  }

  /// Runs one step of loading and remembers its failure: after one, nothing may be published.
  private func remembering(_ body: () throws -> Void) throws {
    precondition(!isClosed, "a loader was used after its publish")
    do {
      try body()
    } catch let error as ServingStoreError {
      failure = failure ?? error
      throw error
    }
  }
}
