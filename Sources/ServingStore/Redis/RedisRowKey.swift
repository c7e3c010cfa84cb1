/// The parsed key of a row of a generation; see `RedisKeys`.
struct RedisRowKey: Sendable {
  let bytes: [UInt8]
  let kind: TableKind
  let name: String
  let id: StoredID

  /// Parses the key `bytes`; `nil` if it is not a row key with the prefix `prefix`.
  init?(_ bytes: [UInt8], after prefix: [UInt8]) {
    guard bytes.starts(with: prefix) else { return nil }
    // The id is the last part, and only the id may contain a colon.
    let parts = bytes.dropFirst(prefix.count).split(
      separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    // All positions of an entity are in one hash, whose key has no id.
    guard let kind = TableKind(storedAs: String(decoding: parts[0], as: UTF8.self)),
      parts.count == (kind == .positions ? 2 : 3)
    else { return nil }
    self.bytes = bytes
    self.kind = kind
    name = RedisKeys.decoded(parts[1])
    id = StoredID(utf8: parts.count == 3 ? Array(parts[2]) : [])
  }

  /// The prefix of all keys of the same table.
  var prefix: [UInt8] { Array(bytes.dropLast(id.utf8.count)) }
}

extension RedisKeys {
  /// Decodes a percent-encoded name in a key.
  static func decoded(_ text: some Collection<UInt8>) -> String {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      let code =
        byte == UInt8(ascii: "%") ? UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) : nil
      bytes.append(code ?? byte)
      if code != nil { rest = rest.dropFirst(2) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension RedisConnection {
  /// The number of slots of the server's hash table that one SCAN step visits.
  private static let step = [UInt8](decimal: 1_000)

  /// Calls `body` with the keys of the rows of a generation, in batches.
  ///
  /// - Parameters:
  ///   - generation: The number of the generation.
  ///   - keys: The pipeline's keys.
  ///   - eachOnce: If false, `body` may get a key twice. If true, `body` gets each key at most once, but only
  ///     one of several keys with the same hash value. A count tolerates a missing key, but an erasure does
  ///     not.
  ///   - lock: The lock to renew when a renewal is due; `nil` if no lock is held.
  ///   - body: May run commands, and must read all of their replies.
  /// - Throws: Errors of `body` and of the server.
  /// - Complexity: O(n) in the n keys of the whole database. The server handles other clients between steps.
  func forEachKey(
    of generation: Int, _ keys: RedisKeys, eachOnce: Bool, renewing lock: RedisLock?,
    _ body: ([RedisRowKey]) throws -> Void
  ) throws {
    let (prefix, pattern) = (keys.rows(of: generation), keys.pattern(of: generation))
    // SCAN may return a key twice while the server resizes its hash table. Hash values need less memory than
    // the keys themselves.
    var seen: Set<Int> = []
    var cursor = [UInt8](decimal: 0)
    repeat {
      if let lock, lock.isDue { try lock.renew() }
      let reply = try run("SCAN", cursor, Array("MATCH".utf8), pattern, Array("COUNT".utf8), Self.step)
      guard let parts = reply.elements, parts.count == 2, let next = parts[0].bytes,
        let found = parts[1].elements
      else { preconditionFailure("SCAN did not return a cursor and keys") }
      let new = found.compactMap(\.bytes).filter { !eachOnce || seen.insert($0.hashValue).inserted }
      try body(new.compactMap { RedisRowKey($0, after: prefix) })
      cursor = next
    } while cursor != [UInt8](decimal: 0)
  }
}
