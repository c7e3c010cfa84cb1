/// Recognizes errors that a server or a driver wrote in place of a record.
struct ErrorAnswers {
  /// Keys that mark an object as an error if the object lacks the fields that identify a record. Keys are
  /// compared in lower case and without `_` and `-`, so `statusCode` and `status_code` are equal.
  private static let marks: Set = [
    "error", "errorcode", "errordescription", "errormessage", "errors", "errortype", "exception", "fault",
    "statuscode",
  ]
  /// Keys of errors that also occur in records.
  private static let words: Set = [
    "code", "detail", "details", "hint", "instance", "message", "method", "msg", "name", "ok", "path",
    "reason", "requestid", "severity", "stack", "status", "success", "timestamp", "title", "traceid", "type",
  ]

  /// The maximum number of bytes in a row that is searched for an error message.
  private static let messageLimit = 1 << 16

  /// The requested fields that an error lacks: the first field, which is an id, and all fields whose names do
  /// not occur in errors.
  private let fields: [Int]
  /// The outermost keys of these fields.
  private let keys: Set<String>

  init(_ paths: [FieldPath]) {
    let outermost = paths.map { String(decoding: $0.keys[0], as: UTF8.self) }
    fields = paths.indices.filter { index in
      let key = Self.folded(outermost[index])
      return index == 0 || !(Self.marks.contains(key) || Self.words.contains(key))
    }
    keys = Set(fields.map { outermost[$0] })
  }

  /// Returns whether a record with these values may be an error. For a record with an id, the first value
  /// decides, so the call is cheap.
  func mayBeError(_ slots: [FieldSlot]) -> Bool { fields.allSatisfy { slots[$0].kind == .missing } }

  /// Returns whether an object with these keys is an error. An error lacks the fields that identify a record.
  /// In addition, it has a key in `marks`, or all its keys are in `words` and one of them is `message` or
  /// `detail`.
  func isError(_ names: [String]) -> Bool {
    guard !names.isEmpty, keys.isDisjoint(with: names) else { return false }
    let folded = names.map(Self.folded)
    return folded.contains(where: Self.marks.contains)
      || (folded.allSatisfy(Self.words.contains) && (folded.contains("message") || folded.contains("detail")))
  }

  /// Returns whether a row that cannot be read is the error message of a database or a program, such as
  /// `Code: 159. DB::Exception: Timeout exceeded` from ClickHouse. The message may follow a part of a row.
  static func isMessage(_ text: Span<UInt8>) -> Bool {
    guard text.count <= messageLimit else { return false }
    let exception = "Exception: "
    var start = 0
    while start < text.count, isBlank(start..<start + 1, in: text) { start += 1 }
    if ["error:", "fatal:"].contains(where: { text.has($0, at: start, ignoresCase: true) }) { return true }
    return (start..<text.count).contains(where: { text.has(exception, at: $0, ignoresCase: false) })
  }

  private static func folded(_ key: String) -> String {
    key.lowercased().filter { $0 != "_" && $0 != "-" }
  }
}

extension Span<UInt8> {
  /// Returns whether the ASCII text `word` begins at `start`.
  fileprivate func has(_ word: String, at start: Int, ignoresCase: Bool) -> Bool {
    guard start + word.utf8.count <= count else { return false }
    var index = start
    for byte in word.utf8 {
      let isUpper = ignoresCase && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self[index])
      guard self[index] | (isUpper ? 0x20 : 0) == byte else { return false }
      index += 1
    }
    return true
  }
}
