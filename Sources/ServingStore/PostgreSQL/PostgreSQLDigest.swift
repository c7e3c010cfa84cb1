extension PostgreSQLServingStore {
  func heldDigest(of pipeline: String) throws -> GenerationDigest? {
    try withConnection { connection in
      try transaction(connection, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
        guard let record = try GenerationRecord.fetch(connection, pipeline: pipeline, onlyServed: true).first
        else { return nil }
        var digest = GenerationDigest()
        for content in record.contents {
          digest.begin(content.kind, content.count.name)
          let layout = content.kind.layout
          try forEachRow(of: content, layout.columns, connection) { digest.add($0, layout.shape) }
        }
        return digest
      }
    }
  }
}

extension GenerationDigest {
  fileprivate mutating func add(_ row: PostgreSQLConnection.ResultRow, _ shape: TableKind.RowShape) {
    func bytes(_ column: Int) -> [UInt8] { row[column] ?? [] }
    func number<Number: LosslessStringConvertible>(_ column: Int) -> Number? {
      Number(String(decoding: bytes(column), as: UTF8.self))
    }
    let (id, second) = (PostgreSQLText.decoded(bytes(0)).utf8, bytes(1))
    switch shape {
    case .document: add(.document(id: id.span, json: second.span))
    case .match:
      add(.match(user: id.span, other: PostgreSQLText.decoded(second).utf8.span, at: bytes(2).span))
    case .position: add(position: id, cell: second, number(2), number(3))
    // Keys of catalogs are stored without the encoding of ids.
    case .entry: add(.entry(key: bytes(0).span, json: second.span), rank: number(2) ?? 0)
    }
  }
}
