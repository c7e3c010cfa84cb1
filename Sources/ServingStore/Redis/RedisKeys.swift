/// The keys of one pipeline: `nightjar:{PIPELINE}:...`.
///
/// The braces are part of the key: a cluster hashes the text between them, so all keys of a pipeline are on
/// one node. `%`, `:`, `{` and `}` in names are percent-encoded, so different names have different keys. An
/// id is the last part of a key and is not encoded.
struct RedisKeys: Sendable {
  private let prefix: [UInt8]

  init(pipeline: String) {
    prefix = Array("nightjar:{".utf8) + Self.encoded(pipeline) + Array("}:".utf8)
  }

  /// The key of the pointer: a string with the number of the served generation.
  var current: [UInt8] { key("current") }
  /// The key of a hash: the entry of each kept generation, by the number of the generation.
  var generations: [UInt8] { key("generations") }
  /// The key of a sorted set: the numbers of retired generations, by the time of the drop. A generation is
  /// retired if it was dropped but still has keys.
  var retired: [UInt8] { key("retired") }
  /// The key of a string: the writer's token, which expires after 30 seconds unless it is renewed.
  var lock: [UInt8] { key("lock") }
  /// The key of a string: the number of the generation that is being loaded, or that a killed publication
  /// left incomplete.
  var loading: [UInt8] { key("loading") }

  /// Returns the common prefix of all keys with rows of a generation.
  func rows(of generation: Int) -> [UInt8] { key("\(generation):") }

  /// Returns the prefix of the keys of one table's rows. The id follows this prefix. For positions, use
  /// `positions`.
  func rows(of generation: Int, _ kind: TableKind, _ name: String) -> [UInt8] {
    table(of: generation, kind.rawValue, name) + [UInt8(ascii: ":")]
  }

  /// Returns the prefix of the keys of a catalog that an earlier version of Nightjar published as a
  /// directory. The keys of a generation are never renamed.
  func earlierCatalog(of generation: Int, _ name: String) -> [UInt8] {
    table(of: generation, TableKind.earlierCatalog.word, name) + [UInt8(ascii: ":")]
  }

  /// Returns the key of a hash: the positions as JSON, by id.
  func positions(of generation: Int, _ entity: String) -> [UInt8] {
    table(of: generation, TableKind.positions.rawValue, entity)
  }

  /// Returns the key of a sorted set: the positions for GEO commands, except the positions that
  /// `RedisPlaces.takes` rejects.
  func places(of generation: Int, _ entity: String) -> [UInt8] { table(of: generation, "geo", entity) }

  /// Returns the key of a set: the ids whose positions the sorted set cannot contain.
  func outside(of generation: Int, _ entity: String) -> [UInt8] { table(of: generation, "outside", entity) }

  private func table(of generation: Int, _ kind: String, _ name: String) -> [UInt8] {
    rows(of: generation) + Array("\(kind):".utf8) + Self.encoded(name)
  }

  /// Returns the SCAN pattern for the keys of all rows of a generation.
  func pattern(of generation: Int) -> [UInt8] {
    var pattern: [UInt8] = []
    for byte in rows(of: generation) {
      if Self.globs.contains(byte) { pattern.append(UInt8(ascii: "\\")) }
      pattern.append(byte)
    }
    return pattern + [UInt8(ascii: "*")]
  }

  /// The special characters of patterns. Source: `stringmatchlen` in `util.c` of Redis 7.0.
  private static let globs = Array("*?[]\\".utf8)

  private func key(_ suffix: String) -> [UInt8] { prefix + Array(suffix.utf8) }

  private static func encoded(_ name: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "%"): bytes += Array("%25".utf8)
      case UInt8(ascii: ":"): bytes += Array("%3A".utf8)
      case UInt8(ascii: "{"): bytes += Array("%7B".utf8)
      case UInt8(ascii: "}"): bytes += Array("%7D".utf8)
      default: bytes.append(byte)
      }
    }
    return bytes
  }
}
