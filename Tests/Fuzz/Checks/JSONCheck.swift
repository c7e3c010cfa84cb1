internal import Readers

/// The rules that may reject a record although it is valid JSON.
private let rulesOfJSON: [RecordFault.Rule] = [.numberOutOfRange, .loneSurrogate, .nestingTooDeep]

extension ParserCheck {
  private static let jsonFields = ["a", "b.c", "a.b", #"x\.y"#, "é", "b"]
  private static let jsonOptions = ExportOptions(missing: ["NA", "null"])

  private static func withoutMark(_ bytes: [UInt8]) -> [UInt8] {
    bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
  }

  func jsonLinesViolation(_ bytes: [UInt8]) -> String? {
    let check = ExportCheck(bytes, .jsonl, Self.jsonFields, options: Self.jsonOptions)
    if let violation = check.violation { return violation }
    if let error = check.whole.error { return "JSON Lines are never refused as a whole: \(error)" }
    var rows = check.whole.rows[...]
    let lines = Self.withoutMark(bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() where !line.allSatisfy({ [0x20, 0x09, 0x0D].contains($0) }) {
      guard let row = rows.popFirst(), row.number == index + 1 else {
        return "line \(index + 1) has no record"
      }
      if let violation = Self.violation(row, Array(line)) { return "line \(index + 1): \(violation)" }
    }
    return rows.first.map { "\($0) is on no line" }
  }

  private static func violation(_ row: ReadOutcome.Row, _ line: [UInt8]) -> String? {
    let plain = PlainJSON(line)
    if plain.isDeep { return nil }
    guard plain.isJSON, isUTF8(line) else {
      let isRefused = row.fault.map { $0.rule == .badJSON || rulesOfJSON.contains($0.rule) } ?? false
      return isRefused ? nil : "no JSON, but \(row)"
    }
    switch row.fault?.rule {
    case nil, .notAnObject, .duplicateKey: return plain.isPlain ? nil : "beyond what is read, but \(row)"
    case .numberOutOfRange: return plain.hasHugeNumber ? nil : "no number is out of range, but \(row)"
    case .loneSurrogate: return plain.hasLoneSurrogate ? nil : "no surrogate is alone, but \(row)"
    default: return "JSON, but \(row)"
    }
  }

  func jsonArrayViolation(_ bytes: [UInt8]) -> String? {
    let check = ExportCheck(bytes, .json, Self.jsonFields, options: Self.jsonOptions)
    if let violation = check.violation { return violation }
    let plain = PlainJSON(Self.withoutMark(bytes))
    if let violation = Self.violation(check.whole, plain, isUTF8(bytes)) { return violation }
    guard let elements = plain.elements, plain.isJSON, check.whole.error == nil else { return nil }
    let numbers = check.whole.rows.map(\.number)
    return numbers == Array(1..<elements + 1) ? nil : "of \(elements) elements were read \(numbers)"
  }

  /// Checks the invariants of a document that was read as a whole.
  private static func violation(_ whole: ReadOutcome, _ plain: PlainJSON, _ isUTF8: Bool) -> String? {
    if plain.isDeep { return nil }
    let hasRefused = whole.rows.contains { $0.fault.map { rulesOfJSON.contains($0.rule) } ?? false }
    let hasBad = whole.rows.contains { $0.fault?.rule == .badJSON }
    guard plain.isJSON, isUTF8 else {
      // simdjson reports only the first error. An allowed error in a field that is not requested
      // can therefore hide a later error.
      if plain.hasHugeNumber || plain.hasLoneSurrogate { return nil }
      return whole.error != nil || hasRefused || hasBad ? nil : "no JSON, but read without a mistake"
    }
    if let error = whole.error, error.code != .wrongShape, plain.isPlain { return "JSON, but \(error)" }
    if hasBad { return "JSON, but a record is said to be none" }
    return plain.isPlain && hasRefused ? "JSON within all limits, but a record is refused" : nil
  }

  private static let tables = ["", "users", "users/$id", "a/$x/$y", "$k/b/$v", "a/b/c"]
  private static let treeFields = ["$key", "$value", "a", "$x", "$id", "$k", "$v", "b.c"]

  /// The first byte selects the table. The rest is the tree.
  func realtimeViolation(_ input: [UInt8]) -> String? {
    guard let choice = input.first else { return nil }
    let bytes = Array(input.dropFirst())
    let table = Self.tables[Int(choice) % Self.tables.count]
    let check = ExportCheck(bytes, .realtime, Self.treeFields, options: ExportOptions(table: table))
    return check.violation
      ?? Self.violation(check.whole, PlainJSON(Self.withoutMark(bytes)), isUTF8(bytes))
  }

  /// Checks pages, arrays, lines or objects of a back end. A valid JSON text must never be reported as
  /// "not JSON".
  func pagedViolation(_ bytes: [UInt8], _ format: ExportFormat, _ fields: [String]) -> String? {
    let check = ExportCheck(bytes, format, fields, options: Self.jsonOptions)
    if let violation = check.violation { return violation }
    let plain = PlainJSON(Self.withoutMark(bytes))
    return plain.isPlain && isUTF8(bytes) ? Self.violation(check.whole, plain, true) : nil
  }

  /// simdjson with Nightjar's checks must accept the same texts as a simple recognizer.
  func validationViolation(_ bytes: [UInt8]) -> String? {
    let plain = PlainJSON(bytes)
    if plain.isDeep { return nil }
    let refusal = validateJSON(bytes)
    let isExpected = plain.isPlain && isUTF8(bytes)
    guard (refusal == nil) != isExpected else { return nil }
    return isExpected ? "JSON, but refused: \(refusal ?? "")" : "accepted, but it is not JSON"
  }
}
