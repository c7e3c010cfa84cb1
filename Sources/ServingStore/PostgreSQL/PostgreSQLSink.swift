import Geohash

/// Copies the rows of a generation into PostgreSQL in the binary format, within the publishing transaction.
///
/// Source: PostgreSQL's documentation of COPY, "Binary Format".
final class PostgreSQLSink: GenerationSink {
  private let connection: PostgreSQLConnection
  private let pipeline: String
  private let generation: Int
  private var open: Int64?
  /// The `content_id` of each complete table.
  private var contentIDs: [Int64] = []
  private var buffer: [UInt8] = []

  /// The buffer is sent when it contains at least this number of bytes.
  private static let batch = 1 << 18

  init(_ connection: PostgreSQLConnection, pipeline: String, generation: Int) {
    self.connection = connection
    self.pipeline = pipeline
    self.generation = generation
    buffer.reserveCapacity(Self.batch + 1 << 14)
  }

  func begin(_ kind: TableKind, _ name: String) throws {
    try end()
    let row = try connection.rows(
      """
      INSERT INTO nightjar.contents (pipeline, generation, kind, name, row_count) VALUES ($1, $2, $3, $4, 0)
      RETURNING content_id
      """, [.text(pipeline), .integer(Int64(generation)), .text(kind.rawValue), .text(name)])
    guard let id = row.first?.first.flatMap(\.self).flatMap({ Int64(String(decoding: $0, as: UTF8.self)) })
    else { preconditionFailure("PostgreSQL returned no key") }
    let columns = (["content_id"] + kind.layout.columns).joined(separator: ", ")
    try connection.beginCopy("COPY nightjar.\(kind.table) (\(columns)) FROM STDIN (FORMAT binary)")
    open = id
    buffer += [0x50, 0x47, 0x43, 0x4F, 0x50, 0x59, 0x0A, 0xFF, 0x0D, 0x0A, 0x00]  // the signature
    append(Int32(0))  // no flags
    append(Int32(0))  // no header extension
  }

  func add(_ row: TableRow, rank: Int) throws {
    switch row {
    case .document(let id, let json, _):
      beginRow(fields: 3)
      append(id: id)
      append(json)
    case .match(let user, let other, let instant):
      beginRow(fields: 4)
      append(id: user)
      append(id: other)
      if instant.isEmpty { append(Int32(-1)) } else { append(instant) }
    case .position(let id, let position, let cell):
      beginRow(fields: 5)
      append(id: id)
      let cell = Array(cell.description.utf8)
      append(cell.span)
      append(position.latitude)
      append(position.longitude)
    case .entry(let key, let json):
      beginRow(fields: 4)
      append(key)
      append(json)
      append(Int32(8))
      append(Int64(rank))
    }
    try sendIfFull()
  }

  func end() throws {
    guard let id = open else { return }
    append(Int16(-1))
    try send()
    open = nil
    _ = try connection.endCopy()
    contentIDs.append(id)
  }

  func count(table: Int, _ kind: TableKind) throws -> Int {
    let content = PostgreSQLConnection.Value.integer(contentIDs[table])
    let counted = try connection.rows(
      """
      UPDATE nightjar.contents SET row_count = (SELECT count(*) FROM nightjar.\(kind.table) WHERE content_id = $1)
      WHERE content_id = $1 RETURNING row_count
      """, [content])
    return counted.first?[0].flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? -1
  }

  /// Detects a lost connection. The lock itself cannot expire, because `transaction` lifts the server's limit
  /// for idle transactions.
  func keepAlive() throws { try connection.rows("SELECT 1") }

  func holds(_ row: LoadedRow, table: Int, _ kind: TableKind) throws -> Bool {
    let rows = PostgreSQLRows(connection: connection, content: contentIDs[table])
    return switch row {
    case .document(let id, let json): try rows.document(kind, id) == json
    case .match(let user, let other, let instant): try rows.instant(of: user, other) == instant
    case .position(let id, let position): try rows.position(of: id) == position
    case .entry(let key, let rank, let json):
      try rows.entries(StoredID(utf8: key), rank - 1..<rank) == [json]
    }
  }

  /// Cancels the `COPY` of the open table, if any.
  func abandon() {
    if open != nil { connection.abandonCopy() }
    open = nil
  }

  private func beginRow(fields: Int16) {
    append(fields)
    append(Int32(8))
    append(open ?? 0)
  }

  private func append(id: Span<UInt8>) {
    if PostgreSQLText.isPlain(id) {
      append(id)
    } else {
      append(PostgreSQLText.encoded(id).span)
    }
  }

  private func append(_ bytes: Span<UInt8>) {
    append(Int32(bytes.count))
    unsafe bytes.withUnsafeBufferPointer { unsafe buffer.append(contentsOf: $0) }
  }

  private func append(_ number: Double) {
    append(Int32(8))
    append(number.bitPattern)
  }

  private func append(_ number: some FixedWidthInteger) {
    unsafe withUnsafeBytes(of: number.bigEndian) { unsafe buffer.append(contentsOf: $0) }
  }

  private func sendIfFull() throws {
    if buffer.count >= Self.batch { try send() }
  }

  private func send() throws {
    // The buffer is moved to a local variable and back, because a span of a class's property cannot be
    // borrowed during the call.
    var bytes: [UInt8] = []
    swap(&bytes, &buffer)
    defer {
      bytes.removeAll(keepingCapacity: true)
      swap(&bytes, &buffer)
    }
    try connection.copy(bytes.span)
  }
}
