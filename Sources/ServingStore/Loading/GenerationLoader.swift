internal import Text

/// A loader that fills a generation with rows during a publication, one table after another. The loader
/// checks and counts each row, and remembers the first failure.
///
/// `begin` opens a table, and `add` adds rows to it until the next `begin`. Only one table is open at a time,
/// because a bulk load, such as `COPY` in PostgreSQL, fills one table. A back end may batch rows.
///
/// A loader is valid only inside the closure that receives it. Later calls trap. Adding a row whose shape
/// does not fit the open table also traps. All other failures are thrown as `ServingStoreError`. After such
/// an error, the publication fails.
package final class GenerationLoader {
  /// An opened table, with the number of its rows so far.
  private struct BegunTable {
    let kind: TableKind
    let shape: TableKind.RowShape
    let name: String
    var rows = 0
    var sample = RowSample()
    /// For a catalog: the current key, the number of entries of this key so far, and all keys so far.
    var key: [UInt8]?
    var rank = 0
    var keys: Set<[UInt8]> = []

    init(_ kind: TableKind, _ name: String) {
      (self.kind, shape, self.name) = (kind, kind.layout.shape, name)
    }
  }

  /// Called occasionally with the name of the table being loaded and its number of rows so far.
  package var observe: (_ table: String, _ rows: Int) -> Void = { _, _ in }
  /// Called once when all rows are in the store and checked, just before the store serves them. If this
  /// closure throws, the publication is undone.
  ///
  /// If the closure takes longer than ten seconds, it must call `keepAlive` at least every ten seconds.
  /// `keepAlive` throws if the publication can no longer succeed.
  package var beforeServing: (_ keepAlive: @escaping () throws -> Void) throws -> Void = { _ in }
  /// The number of rows between two calls of `observe`.
  private static let observedRows = 4_096

  /// The tables opened so far. The last one is open.
  private var begun: [BegunTable] = []
  /// The first failure, even if the loading closure caught it.
  private var failure: ServingStoreError?

  private let sink: any GenerationSink
  private let address: StoreAddress
  private var rules: RowRules
  private var isClosed = false

  init(_ sink: any GenerationSink, _ address: StoreAddress) {
    self.sink = sink
    self.address = address
    rules = RowRules(address)
  }

  /// The opened tables with their numbers of rows so far. Within a kind, tables are in byte order of names.
  var tables: GenerationTables {
    var tables = GenerationTables()
    for kind in TableKind.allCases {
      tables[kind] = begun.filter { $0.kind == kind }.map { NamedCount(name: $0.name, rows: $0.rows) }
        .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
    return tables
  }

  /// Opens a table. If no row is added, the store contains an empty table.
  ///
  /// - Throws: `refused` if the name is empty, contains U+0000, or belongs to an earlier table of the same
  ///   kind; other errors of the store.
  package func begin(_ kind: TableKind, _ name: String) throws {
    try remembering {
      try ServingStoreError.checkName(name, what: kind.rawValue, address)
      guard !begun.contains(where: { $0.kind == kind && $0.name.utf8.elementsEqual(name.utf8) }) else {
        throw ServingStoreError.refusal(address, "\(kind.rawValue) '\(name)' was added twice")
      }
      try sink.begin(kind, name)
      if let last = begun.last, last.rows > 0 { observe(last.kind.progressName(last.name), last.rows) }
      begun.append(BegunTable(kind, name))
    }
  }

  /// Adds a row to the open table. Loading is fastest if rows are in byte order of their ids, and positions
  /// in the order of their cells.
  ///
  /// - Throws: `refused` if the row breaks a rule, or if the table already contains the row; other errors of
  ///   the store.
  package func add(_ row: TableRow) throws {
    precondition(!isClosed, Self.isOver)
    // This method does not use `remembering`, because a closure cannot capture the borrowed parts of a row.
    do {
      try check(row)
      let table = begun.count - 1
      try sink.add(row, rank: begun[table].rank)
      if begun[table].sample.takesNext() {
        begun[table].sample.rows.append(LoadedRow(copying: row, rank: begun[table].rank))
      }
      begun[table].rows += 1
      let rows = begun[table].rows
      if rows % Self.observedRows == 0 { observe(begun[table].kind.progressName(begun[table].name), rows) }
    } catch let error as ServingStoreError {
      failure = failure ?? error
      throw error
    }
  }

  /// Checks the shape of a row, and its parts unless the caller has already checked them.
  private func check(_ row: TableRow) throws {
    switch row {
    case .document(let id, let json, let isChecked):
      let kind = begun[openTable(.document)].kind
      if isChecked { return }
      try rules.checkID(id)
      try rules.checkJSON(json, kind.document)
    case .match(let user, let other, let instant):
      _ = openTable(.match)
      try rules.checkID(user)
      try rules.checkID(other)
      try rules.checkText(instant, "the time of a match")
    case .position(let id, _, _):
      _ = openTable(.position)
      try rules.checkID(id)
    case .entry(let key, let json):
      let table = openTable(.entry)
      if begun[table].key.map({ ByteOrder.equal(key, $0.span) }) != true { try beginKey(key, table) }
      try rules.checkJSON(json, begun[table].kind.document)
      begun[table].rank += 1
    }
  }

  private func beginKey(_ key: Span<UInt8>, _ table: Int) throws {
    try rules.checkID(key)
    try rules.checkText(key, "the key of a catalog")
    let next = Array(copying: key)
    (begun[table].key, begun[table].rank) = (next, 0)
    guard begun[table].keys.insert(next).inserted else {
      throw ServingStoreError.refusal(
        address, "\(begun[table].name): the entries of a key are not adjacent")
    }
  }

  /// Returns the index of the open table, and traps if the rows of this table have another shape.
  private func openTable(_ shape: TableKind.RowShape) -> Int {
    guard let open = begun.indices.last, begun[open].shape == shape else {
      preconditionFailure("a row of shape \(shape) was added while no such table was open")
    }
    return open
  }

  /// Ends loading, and compares the store's row counts and a sample of its rows with the loaded rows. Later
  /// calls of the loader trap.
  ///
  /// - Throws: The first error of loading; `refused` if the generation has neither a list nor a catalog, or
  ///   if the contents of the store differ from the loaded rows; other errors of the store.
  func close() throws {
    isClosed = true
    if let failure { throw failure }
    guard begun.contains(where: { $0.kind == .list || $0.kind == .catalog }) else {
      throw ServingStoreError.refusal(
        address, "the generation has neither a list nor a catalog",
        nextStep: "add a list or a catalog to the pipeline file, and run the pipeline again")
    }
    try sink.end()
    for (number, table) in begun.enumerated() {
      let stored = try sink.count(table: number, table.kind)
      guard stored == table.rows else {
        throw ServingStoreError.refusal(
          address, "\(table.name): the number of loaded rows is \(table.rows), but the store has \(stored)")
      }
      for row in table.sample.rows {
        guard try sink.holds(row, table: number, table.kind) else {
          throw ServingStoreError.refusal(
            address, "\(table.name): a row in the store differs from the row that was loaded")
        }
      }
    }
  }

  /// Calls `beforeServing`. The back end calls this method just before the change that readers see.
  func willServe() throws { try beforeServing(sink.keepAlive) }

  private static let isOver = "a loader was used after its publication"

  /// Runs one step of loading and remembers its failure, because a generation with a failure must not be
  /// published.
  private func remembering(_ body: () throws -> Void) throws {
    precondition(!isClosed, Self.isOver)
    do {
      try body()
    } catch let error as ServingStoreError {
      failure = failure ?? error
      throw error
    }
  }
}

/// The rules for rows, which are the same in all stores.
private struct RowRules: ~Copyable {
  private let address: StoreAddress
  private var documents = DocumentCheck()

  init(_ address: StoreAddress) {
    self.address = address
  }

  func checkID(_ id: Span<UInt8>) throws {
    guard !id.isEmpty else { throw ServingStoreError.refusal(address, "an id is empty") }
    guard (try? UTF8Span(validating: id)) != nil else {
      throw ServingStoreError.refusal(address, "an id is not UTF-8")
    }
  }

  mutating func checkJSON(_ text: Span<UInt8>, _ what: String) throws {
    guard documents.accepts(text) else {
      throw ServingStoreError.refusal(address, "\(what) is not JSON in UTF-8")
    }
  }

  /// Checks that a text is UTF-8 without U+0000. Readers may treat the text as a C string, which ends at the
  /// first U+0000.
  func checkText(_ text: Span<UInt8>, _ what: String) throws {
    guard (try? UTF8Span(validating: text)) != nil, text.firstIndex(of: 0) == nil else {
      throw ServingStoreError.refusal(address, "\(what) is not UTF-8, or it contains U+0000")
    }
  }
}

/// An evenly spaced sample of a table's loaded rows, to be compared with the rows that the store returns.
private struct RowSample {
  var rows: [LoadedRow] = []
  /// The distance between sampled rows, in rows.
  private var step = 1
  private var count = 0
  private static let capacity = 256

  /// Counts a row, and returns whether to sample it.
  mutating func takesNext() -> Bool {
    defer { count += 1 }
    guard count % step == 0 else { return false }
    if rows.count == Self.capacity {
      // The sample is full. Every second row is dropped from it, and the distance between later rows doubles.
      rows = rows.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
      step *= 2
    }
    return count % step == 0
  }
}
