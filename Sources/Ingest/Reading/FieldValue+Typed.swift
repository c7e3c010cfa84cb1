internal import PipelineFile
internal import Readers
internal import Text

/// Typed values of one record's fields. The methods throw `RowRejected` for a value that breaks a rule.
extension FieldValue {
  /// The value as text, for messages; empty if the field is missing.
  var shown: String {
    switch self {
    case .missing: ""
    case .text(let text): text.string
    case .integer(let value): String(value)
    case .number(let value): value.description
    case .boolean(let value): String(value)
    case .list, .structure: "(a list or object)"
    }
  }

  func rejected(_ rule: IngestRule, _ field: String) -> RowRejected {
    RowRejected(rule: rule, field: field, value: shown)
  }

  /// Returns the text, or the number or flag as text; `nil` if the field is missing.
  func text(_ field: String, _ rule: IngestRule = .badText) throws(RowRejected) -> [UInt8]? {
    try withText(field, rule) { Array(copying: $0) }
  }

  /// Calls `body` with the text of the value, without copying it. Returns `nil` if the field is missing.
  @inline(__always)
  func withText<Result>(
    _ field: String, _ rule: IngestRule = .badText, _ body: (Span<UInt8>) -> Result
  ) throws(RowRejected) -> Result? {
    switch self {
    case .missing: return nil
    case .text(let text): return body(text.span)
    case .integer, .boolean: return body(Array(shown.utf8).span)
    case .number(let value) where value.isFinite: return body(Array(shown.utf8).span)
    case .number, .list, .structure: throw rejected(rule, field)
    }
  }

  /// Calls `body` with the id in the field. The id has at least one byte. A missing id is rejected as
  /// `missing_id`.
  @inline(__always)
  func withID<Result>(_ field: String, _ body: (Span<UInt8>) -> Result) throws(RowRejected) -> Result {
    switch self {
    case .text(let text): return body(text.span)
    case .boolean: throw rejected(.badID, field)
    // From 2⁵³ on, numbers are rounded, so two different ids may have become the same number.
    case .number(let value) where abs(value) >= 0x1p53: throw rejected(.badID, field)
    default: break
    }
    guard let result = try withText(field, .badID, body) else { throw rejected(.missingID, field) }
    return result
  }

  /// Calls `body` with the id of a row that is kept. An id that some store cannot contain is rejected; see
  /// `TextLimits`.
  @inline(__always)
  func withKeptID<Result>(_ field: String, _ body: (Span<UInt8>) -> Result) throws(RowRejected) -> Result {
    if let rule = try withID(field, { TextLimits.fault(ofID: $0) }) { throw rejected(rule, field) }
    return try withID(field, body)
  }

  /// The account whose id is in the field, for `RowRejected.account`; `nil` if the field contains no valid
  /// id.
  var account: UInt64? { try? withID("") { RowsByAccount.account($0) } }

  /// Checks that a kept text does not contain U+0000. The text may have any length.
  func checkText(_ field: String) throws(RowRejected) {
    guard case .text(let text) = self, TextLimits.hasNull(text.span) else { return }
    throw rejected(.nullCharacter, field)
  }

  /// Checks that a kept word is short enough and does not contain U+0000. Numbers and flags always pass.
  func checkWord(_ field: String) throws(RowRejected) {
    guard case .text(let text) = self, let rule = TextLimits.fault(ofWord: text.span) else { return }
    throw rejected(rule, field)
  }

  /// Returns a number in `range`; `nil` if the field is missing. The default range prevents sums of products
  /// from overflowing.
  func number(
    _ field: String, _ rule: IngestRule = .badNumber, in range: ClosedRange<Double> = -1e100...1e100
  )
    throws(RowRejected) -> Double?
  {
    if isMissing { return nil }
    guard let number, range.contains(number) else { throw rejected(rule, field) }
    return number
  }

  /// Returns a plausible time; `nil` if the field is missing.
  func time(_ field: Pipeline.TimeField) throws(RowRejected) -> Moment? {
    if isMissing { return nil }
    guard let moment = moment(unit: field.unit), field.plausible.contains(moment.milliseconds) else {
      throw rejectedTime(field)
    }
    return moment
  }

  /// Returns a plausible time. A missing time is rejected as `bad_time`.
  func neededTime(_ field: Pipeline.TimeField) throws(RowRejected) -> Moment {
    guard let moment = try time(field) else { throw rejectedTime(field) }
    return moment
  }

  /// Returns the rejection of a time that is absent, unreadable or implausible. It lists the units in which a
  /// number would be a plausible time.
  func rejectedTime(_ field: Pipeline.TimeField) -> RowRejected {
    let isNumber = number != nil
    var rejected = rejected(
      moment(unit: field.unit) != nil || isNumber ? .implausibleTime : .badTime, field.from)
    if isNumber {
      for unit in TimeUnit.allCases {
        if let moment = moment(unit: unit), field.plausible.contains(moment.milliseconds) {
          rejected.plausibleUnits.append(unit)
        }
      }
      rejected.isDateInDigits = momentOfDigits.map { field.plausible.contains($0.milliseconds) } ?? false
    }
    return rejected
  }

  /// The time in the digits of a number, as in `20261120` or `20261120235812`; `nil` if the digits do not
  /// form a time.
  private var momentOfDigits: Moment? {
    guard let integer, integer > 0 else { return nil }
    let digits = Array(String(integer).utf8)
    guard digits.count == 8 || digits.count == 14 else { return nil }
    var text: [UInt8] = []
    for (index, digit) in digits.enumerated() {
      switch index {
      case 4, 6: text.append(UInt8(ascii: "-"))
      case 8: text.append(UInt8(ascii: "T"))
      case 10, 12: text.append(UInt8(ascii: ":"))
      default: break
      }
      text.append(digit)
    }
    if digits.count == 14 { text.append(UInt8(ascii: "Z")) }
    return parseMoment(text.span)
  }

  /// Returns a calendar date or a time, in milliseconds since 1970 UTC; `nil` if the field is missing.
  /// Numbers are rejected, because `19900501` could be a date or a count of seconds.
  func date(_ field: String) throws(RowRejected) -> Int64? {
    if isMissing { return nil }
    guard case .text(let text) = self, text.count >= 10, text.span[4] == UInt8(ascii: "-"),
      let instant = instant()
    else { throw rejected(.badDate, field) }
    return instant
  }

  /// Returns the distinct texts: the elements of a list, or of a list in a text (`ListNotation`). Any other
  /// text is split at `separator`. Empty texts are dropped.
  func tags(_ field: String, separator: [UInt8]) throws(RowRejected) -> Set<[UInt8]> {
    var tags: Set<[UInt8]> = []
    if case .list(let list) = self {
      guard let texts = list.texts else { throw rejected(.badTags, field) }
      tags = Set(texts.filter { !$0.isEmpty })
    } else if let text = try text(field, .badTags) {
      tags = Set(
        ListNotation.elements(text)?.filter { !$0.isEmpty } ?? text.pieces(between: separator))
    }
    // A set has a random order, so the first broken rule would be random too. `word_too_long` therefore takes
    // precedence.
    let rules = tags.compactMap { TextLimits.fault(ofWord: $0.span) }
    if let rule = rules.contains(.wordTooLong) ? .wordTooLong : rules.first { throw rejected(rule, field) }
    guard tags.count <= TextLimits.tags else { throw rejected(.tooManyTags, field) }
    return tags
  }

  /// Returns a flag; `false` if the field is missing.
  func flag(_ field: String) throws(RowRejected) -> Bool {
    if isMissing { return false }
    guard let flag else { throw rejected(.badFlag, field) }
    return flag
  }
}

extension [UInt8] {
  /// Returns the parts of the text between occurrences of `separator`, which must not be empty. Empty parts
  /// are dropped.
  func pieces(between separator: [UInt8]) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var start = 0
    var index = 0
    while index < count {
      if self[index...].starts(with: separator) {
        if index > start { pieces.append(Array(self[start..<index])) }
        index += separator.count
        start = index
      } else {
        index += 1
      }
    }
    if start < count { pieces.append(Array(self[start...])) }
    return pieces
  }
}
