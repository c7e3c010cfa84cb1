/// Where the rows of a generation go, one table after the other, once they have been found to keep the rules.
protocol GenerationSink: AnyObject {
  /// Opens a table of a kind; what was open is complete.
  func begin(_ kind: TableKind, _ name: String) throws
  /// Adds a row to an open list (the user and the document), or to a table of people (the id and the attributes).
  func add(_ id: Span<UInt8>, _ json: Span<UInt8>) throws
  /// Adds a row to an open table of matches; no instant is an empty text.
  func add(match user: Span<UInt8>, _ other: Span<UInt8>, at: Span<UInt8>) throws
  /// Completes the last table.
  func end() throws
  /// How many rows the store holds in the table that was begun as number `table`, from 0, and notes that number.
  func count(table: Int, _ kind: TableKind) throws -> Int
  /// What the store holds under an id in a list or a table of people.
  func stored(table: Int, _ kind: TableKind, id: StoredID) throws -> [UInt8]?
}

/// The loader of every back end: checks each row, counts, and remembers the first failure.
final class CheckedLoader<Sink: GenerationSink>: GenerationLoader {
  /// A table that was begun, and how many rows went into it.
  struct Table {
    var kind: TableKind
    var name: String
    var rows = 0
    var sample = RowSample()
  }

  /// The tables begun so far; the last one is open.
  private(set) var tables: [Table] = []
  /// The first failure, also when the closure that loads has swallowed it.
  private(set) var failure: ServingStoreError?

  private let sink: Sink
  private let address: StoreAddress
  private var documents = DocumentCheck()
  private var isClosed = false

  init(_ sink: Sink, _ address: StoreAddress) {
    self.sink = sink
    self.address = address
  }

  /// Ends loading: whoever kept the loader traps. Counts what the store holds against what was loaded, and compares some
  /// of it.
  ///
  /// - Throws: What went wrong while loading; that there is no list; that the store does not hold what was loaded.
  func close() throws {
    isClosed = true
    if let failure { throw failure }
    guard tables.contains(where: { $0.kind == .list }) else {
      throw ServingStoreError.refusal(address, "the generation has no list")
    }
    try sink.end()
    for (number, table) in tables.enumerated() {
      let stored = try sink.count(table: number, table.kind)
      guard stored == table.rows else {
        throw ServingStoreError.refusal(
          address, "\(table.name): \(table.rows) rows were loaded, the store holds \(stored)")
      }
      for row in table.sample.rows {
        guard try sink.stored(table: number, table.kind, id: StoredID(utf8: row.id)) == row.json else {
          throw ServingStoreError.refusal(address, "\(table.name): a row did not come back as it was loaded")
        }
      }
    }
  }

  func beginList(_ name: String) throws { try begin(.list, name) }

  func addDocument(_ document: Span<UInt8>, user: Span<UInt8>, isChecked: Bool) throws {
    try add(.list) {
      if !isChecked {
        try checkID(user)
        try checkJSON(document, "a document")
      }
      try sink.add(user, document)
      tables[tables.count - 1].sample.add(user, document)
    }
  }

  func beginMatches(_ name: String) throws { try begin(.matches, name) }

  func addMatch(user: Span<UInt8>, other: Span<UInt8>, matchedAt: Span<UInt8>) throws {
    try add(.matches) {
      try checkID(user)
      try checkID(other)
      try checkText(matchedAt, "the instant of a match")
      try sink.add(match: user, other, at: matchedAt)
    }
  }

  func beginPeople(_ entity: String) throws { try begin(.people, entity) }

  func addPerson(attributes: Span<UInt8>, id: Span<UInt8>) throws {
    try add(.people) {
      try checkID(id)
      try checkJSON(attributes, "a person's attributes")
      try sink.add(id, attributes)
      tables[tables.count - 1].sample.add(id, attributes)
    }
  }

  private func begin(_ kind: TableKind, _ name: String) throws {
    try remembering {
      try ServingStoreError.checkName(name, what: kind.rawValue, address)
      guard !tables.contains(where: { $0.kind == kind && $0.name.utf8.elementsEqual(name.utf8) }) else {
        throw ServingStoreError.refusal(address, "\(kind.rawValue) '\(name)' was begun twice")
      }
      try sink.begin(kind, name)
      tables.append(Table(kind: kind, name: name))
    }
  }

  private func add(_ kind: TableKind, _ insert: () throws -> Void) throws {
    try remembering {
      guard let open = tables.indices.last, tables[open].kind == kind else {
        preconditionFailure("a row of kind \(kind.rawValue) was added while no such table was open")
      }
      try insert()
      tables[open].rows += 1
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

  private func checkID(_ id: Span<UInt8>) throws {
    guard !id.isEmpty else { throw ServingStoreError.refusal(address, "an id is empty") }
    guard (try? UTF8Span(validating: id)) != nil else {
      throw ServingStoreError.refusal(address, "an id is not UTF-8")
    }
  }

  private func checkJSON(_ text: Span<UInt8>, _ what: String) throws {
    guard documents.accepts(text) else {
      throw ServingStoreError.refusal(address, "\(what) is not JSON in UTF-8")
    }
  }

  /// Texts that readers get as C strings somewhere on their way: U+0000 would end them.
  private func checkText(_ text: Span<UInt8>, _ what: String) throws {
    guard (try? UTF8Span(validating: text)) != nil, ByteSearch.firstIndex(of: 0, in: text) == nil else {
      throw ServingStoreError.refusal(address, "\(what) is not UTF-8 without U+0000")
    }
  }
}
