import GRDB

/// Loads rows into a generation inside the publishing transaction.
final class SQLiteGenerationLoader: GenerationLoader {
  /// A table that was begun, and how many rows went into it.
  struct Table {
    var kind: SQLitePublication.Kind
    var name: String
    var contentID: Int64
    var rows = 0
  }

  /// The tables begun so far; the last one is open.
  private(set) var tables: [Table] = []
  /// The first failure, also when the closure that loads has swallowed it.
  private(set) var failure: ServingStoreError?

  private let database: Database
  private let address: StoreAddress
  private let pipeline: String
  private let generation: Int
  private var inserter: RowInserter?
  private var documents = DocumentCheck()
  private var isClosed = false

  /// A loader for a generation of `pipeline`.
  ///
  /// The schema's rule that documents are JSON is for whoever else writes to the file: it costs as much as all the rest
  /// of an insertion, so here documents are checked before, and it is off until `close`.
  init(_ database: Database, _ address: StoreAddress, pipeline: String, generation: Int) throws {
    try database.execute(sql: "PRAGMA ignore_check_constraints = ON")
    self.database = database
    self.address = address
    self.pipeline = pipeline
    self.generation = generation
  }

  /// Ends loading: whoever kept the loader traps.
  func close() {
    isClosed = true
    inserter = nil
    // Nothing but a loader inserts through this connection, so that a failure has no effect.
    try? database.execute(sql: "PRAGMA ignore_check_constraints = OFF")
  }

  func beginList(_ name: String) throws {
    try begin(
      .list, name, sql: "INSERT INTO lists (content_id, user_id, document) VALUES (?, ?, ?)")
  }

  func addDocument(_ document: Span<UInt8>, user: Span<UInt8>, isChecked: Bool) throws {
    try add(.list) { inserter in
      if !isChecked {
        try self.checkID(user)
        try self.checkJSON(document, "a document")
      }
      try inserter.insert(user, document)
    }
  }

  func beginMatches(_ name: String) throws {
    try begin(
      .matches, name,
      sql: "INSERT INTO matches (content_id, user_id, other_user_id, matched_at) VALUES (?, ?, ?, ?)")
  }

  func addMatch(user: Span<UInt8>, other: Span<UInt8>, matchedAt: Span<UInt8>) throws {
    try add(.matches) { inserter in
      try self.checkID(user)
      try self.checkID(other)
      try self.checkText(matchedAt, "the instant of a match")
      try inserter.insert(user, other, orNull: matchedAt)
    }
  }

  func beginPeople(_ entity: String) throws {
    try begin(.people, entity, sql: "INSERT INTO people (content_id, id, attributes) VALUES (?, ?, ?)")
  }

  func addPerson(attributes: Span<UInt8>, id: Span<UInt8>) throws {
    try add(.people) { inserter in
      try self.checkID(id)
      try self.checkJSON(attributes, "a person's attributes")
      try inserter.insert(id, attributes)
    }
  }

  private func begin(_ kind: SQLitePublication.Kind, _ name: String, sql: String) throws {
    try remembering {
      try ServingStoreError.checkName(name, what: kind.rawValue, address)
      guard !tables.contains(where: { $0.kind == kind && $0.name.utf8.elementsEqual(name.utf8) }) else {
        throw ServingStoreError.refusal(address, "\(kind.rawValue) '\(name)' was begun twice")
      }
      try database.execute(
        sql: """
          INSERT INTO contents (pipeline, generation, kind, name, row_count) VALUES (?, ?, ?, ?, 0)
          """, arguments: [pipeline, generation, kind.rawValue, name])
      let content = database.lastInsertedRowID
      inserter = try RowInserter(database, contentID: content, sql: sql)
      tables.append(Table(kind: kind, name: name, contentID: content))
    }
  }

  private func add(_ kind: SQLitePublication.Kind, _ insert: (RowInserter) throws -> Void) throws {
    try remembering {
      guard let inserter, let open = tables.indices.last, tables[open].kind == kind else {
        preconditionFailure("a row of kind \(kind.rawValue) was added while no such table was open")
      }
      try insert(inserter)
      tables[open].rows += 1
    }
  }

  /// Runs one step of loading and remembers its failure: after one, nothing may be published.
  private func remembering(_ body: () throws -> Void) throws {
    precondition(!isClosed, "a loader was used after its publish")
    do {
      try ServingStoreError.translating(address, body)
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
