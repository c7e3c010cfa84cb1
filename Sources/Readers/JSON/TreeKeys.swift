internal import Text

/// The keys on the path to a record in a tree, for the fields that request them by name.
struct TreeKeys {
  /// The keys on the path to the current record, concatenated.
  private(set) var bytes: [UInt8] = []
  private var ends: [Int] = []
  /// For each named key, outermost first, the fields that receive the key.
  private var fields: [[Int]] = []
  private var missing = MissingTexts([])

  init() {}

  /// Assigns keys with these names, outermost first, to the `requested` fields.
  init(_ names: [String], fields requested: [String], missing: MissingTexts) {
    self.missing = missing
    fields = names.map { name in requested.indices.filter { requested[$0] == name } }
  }

  /// Returns whether the field with this index requests a key.
  func isAsked(_ field: Int) -> Bool { fields.contains { $0.contains(field) } }

  /// Enters the member with `key`.
  mutating func push(_ key: [UInt8]) {
    bytes += key
    ends.append(bytes.count)
  }

  /// Leaves the current member.
  mutating func pop() {
    ends.removeLast()
    bytes.removeLast(bytes.count - (ends.last ?? 0))
  }

  /// Writes the keys into the slots of their fields.
  func fill(_ slots: inout [FieldSlot]) {
    for (level, fields) in fields.enumerated() where !fields.isEmpty {
      let start = level == 0 ? 0 : ends[level - 1]
      let count = ends[level] - start
      let isMissing = count == 0 || missing.contains(bytes.span.extracting(start..<start + count))
      for field in fields {
        slots[field] =
          isMissing ? FieldSlot() : FieldSlot(kind: .fileText, payload: Int64(start), count: count)
      }
    }
  }
}

/// Returns the text of `written`, which is a JSON string with its quotes; `nil` if `written` is not a JSON
/// string.
///
/// simdjson parses the string as a separate record. This is slow, but keys with escapes are rare.
func unescapedKey(_ written: [UInt8]) -> [UInt8]? {
  let record = Array("{\"k\":".utf8) + written + Array("}".utf8)
  let padded = record + [UInt8](repeating: 0, count: ByteWindow.padding)
  var reader = JSONExtractor(paths: [FieldPath(key: "k")], fields: ["k"])
  guard case .record = unsafe reader.extract(0..<record.count, of: padded.span.bytes, .plain) else {
    return nil
  }
  let slot = reader.slots[0]
  return slot.kind == .scratchText ? Array(copying: reader.strings.extracting(slot.range)) : []
}
