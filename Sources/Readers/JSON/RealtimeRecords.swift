/// The path of a table in a tree that the console of Firebase's Realtime Database exported.
///
/// The path consists of the keys from the root to the records, separated by slashes. `$name` matches any key,
/// and a requested field `$name` receives the key:
///
/// | path | the tree | a record |
/// | --- | --- | --- |
/// | `users` or `users/$key` | `{"users": {"u1": {…}}}` | the object; `$key` is `u1` |
/// | `swipes/$swiper/$target` | `{"swipes": {"u1": {"u2": {…}}}}` | the object; `$swiper`, `$target` |
/// | `likes/$user/$liked` | `{"likes": {"u1": {"u2": true}}}` | `$value` is `true` |
/// | `$key` | `{"u1": {…}}` | the object |
///
/// - A path that ends with a plain key continues with `/$key`.
/// - A text, number or flag in place of a record has the single field `$value`. It is a record if `$value` is
///   requested, or if only keys are requested. Otherwise it is a fault.
/// - Firebase exports objects whose keys are small integers as arrays. The index is then the key.
/// - Null is never a record.
/// - Records are counted in elements, over the whole table. A duplicate key in a table gives two records.
/// - A key with an unpaired surrogate is a fault, and everything below it is skipped.
///
/// Source: Firebase Realtime Database, "Structure your database" and "Arrays in Firebase".
struct RealtimePath: Hashable, Sendable {
  enum Step: Hashable, Sendable {
    case key([UInt8])
    case anyKey(String)
  }

  let steps: [Step]

  /// Parses the path `table`. The empty path means `$key`.
  ///
  /// - Throws: `bad_option` for an empty key, a duplicate name, the name `$value`, or more than 16 keys.
  init(_ table: String, file: String) throws(ExportError) {
    var steps: [Step] = []
    for part in table.isEmpty ? [] : table.split(separator: "/", omittingEmptySubsequences: false) {
      guard !part.isEmpty, part != "$" else {
        throw ExportError(
          .badOption, file: file,
          reason: "the path of the table '\(table)' has an empty key; correct 'table' in the source")
      }
      steps.append(part.hasPrefix("$") ? .anyKey(String(part)) : .key(Array(part.utf8)))
    }
    if case .anyKey = steps.last {} else { steps.append(.anyKey("$key")) }
    self.steps = steps
    let names = self.names
    guard steps.count <= 16, Set(names).count == names.count, !names.contains("$value") else {
      throw ExportError(
        .badOption, file: file,
        reason:
          "the path of the table '\(table)' must have at most 16 keys, must not contain a name twice, and "
          + "must not contain $value; correct 'table' in the source")
    }
  }

  /// The names of the steps that match any key, in order.
  var names: [String] {
    steps.compactMap { step in
      if case .anyKey(let name) = step { name } else { nil }
    }
  }
}

extension JSONPass {
  /// Passes the records of the table at `path` to `body`.
  ///
  /// - Throws: `invalid_utf8`, `wrong_shape`, `bad_json`; errors of `body`.
  mutating func forEachRecord(ofTableAt path: RealtimePath, _ body: (borrowing Record) throws -> Void) throws
  {
    guard try stream.peek() != nil else { throw emptyFile() }
    keys = TreeKeys(path.names, fields: fields, missing: missing)
    var walk = TreeWalk(steps: path.steps)
    try forEachRecord(&walk, level: 0, body)
    try expectEnd()
    if let missing = walk.missing {
      gap = ExportGap(
        reason: "the file has no table '\(missing)'\(inlineSuggestion(for: missing, among: walk.names)); "
          + "found: \(walk.found); correct 'table' in the source")
    } else if walk.number == 0 {
      isEmptyAnswer = true
    }
  }

  private mutating func forEachRecord(
    _ walk: inout TreeWalk, level: Int, _ body: (borrowing Record) throws -> Void
  ) throws {
    let first = try stream.peek()
    guard let first, first != UInt8(ascii: "n") else {
      try skipChecked()
      return
    }
    guard level < walk.steps.count else {
      walk.number += 1
      return try deliverElement(number: walk.number, to: body)
    }
    var isFirst = true
    switch first {
    case UInt8(ascii: "{"):
      try stream.expect(first, "before the table's keys")
      while let written = try stream.nextMember(isFirst: &isFirst) {
        if let key = try key(written) {
          try member(key, &walk, level, body)
        } else {
          try memberWithoutKey(&walk, level, body)
        }
      }
    case UInt8(ascii: "["):
      try stream.expect(first, "before the table's records")
      var index = 0
      while try stream.nextElement(isFirst: &isFirst) {
        try member(Array(String(index).utf8), &walk, level, body)
        index += 1
      }
    default:
      let place = stream.place(of: stream.offset)
      try skipChecked()
      throw ExportError(
        .wrongShape, file: file, place: place,
        reason: "the path of the table must end at an object, but it ends at \(valueName(first)); correct "
          + "'table' in the source")
    }
  }

  private mutating func member(
    _ key: [UInt8], _ walk: inout TreeWalk, _ level: Int, _ body: (borrowing Record) throws -> Void
  ) throws {
    switch walk.steps[level] {
    case .anyKey:
      keys.push(key)
      try forEachRecord(&walk, level: level + 1, body)
      keys.pop()
    case .key(key):
      walk.found(level)
      try forEachRecord(&walk, level: level + 1, body)
    case .key:
      walk.passed(key, level)
      try skipChecked()
    }
  }

  /// Moves past a member whose key contains an unpaired surrogate, and reports a fault if the key is part
  /// of a record's path.
  private mutating func memberWithoutKey(
    _ walk: inout TreeWalk, _ level: Int, _ body: (borrowing Record) throws -> Void
  ) throws {
    try skipChecked()
    guard case .anyKey = walk.steps[level] else { return }
    walk.number += 1
    try deliver(
      .loneSurrogate, message: "a key of the table contains an unpaired surrogate", range: 0..<0,
      number: walk.number, unit: .element, to: body)
  }
}

/// The state of a walk through a tree, with details for messages.
private struct TreeWalk {
  let steps: [RealtimePath.Step]
  /// The number of records that were passed to the closure.
  var number = 0
  /// The deepest level whose plain key was found, or -1.
  private var deepest = -1
  /// Some sibling keys of the first plain key that was not found.
  private(set) var names: [String] = []
  private var namesLevel = -1

  init(steps: [RealtimePath.Step]) { self.steps = steps }

  /// A description of the keys that the file has instead of the missing table, for messages. More than 20
  /// keys are only counted, because they may be ids, which messages never show.
  var found: String {
    if names.isEmpty { return "nothing" }
    return names.count > 20 ? "at least \(names.count) other keys" : listed(names)
  }

  mutating func found(_ level: Int) { deepest = max(deepest, level) }

  mutating func passed(_ key: [UInt8], _ level: Int) {
    if level > namesLevel {
      names = []
      namesLevel = level
    }
    if level == namesLevel, names.count < 40 { names.append(String(decoding: key, as: UTF8.self)) }
  }

  /// The first plain key of the path that was never found.
  var missing: String? {
    for (level, step) in steps.enumerated() where level > deepest {
      if case .key(let key) = step { return String(decoding: key, as: UTF8.self) }
    }
    return nil
  }
}
