internal import Exports
internal import PipelineFile
internal import Tables

/// Finds the parts of an interaction in a record.
///
/// A class, as a copy for each row would count references to all of its texts.
final class InteractionParser: Sendable {
  let names: [String]
  /// What kinds of entities users and candidates are.
  let userEntity: String
  let candidateEntity: String
  /// Whether users and candidates are of one kind, so that nobody may interact with oneself.
  let isOneKind: Bool
  /// Whether values are told by their place among few.
  let isCoded: Bool
  private let user: Int
  private let candidate: Int
  private let at: Int
  private let value: Int
  private let userField: String
  private let candidateField: String
  private let atField: String
  private let atUnit: IntegerTimes
  private let valueField: String
  private let words: ValueWords?

  /// - Parameters:
  ///   - interaction: Where the parts stand.
  ///   - coded: All values that there can be, where they are to be told by their place among these.
  init(_ interaction: Pipeline.Interaction, coded: [Double]?) {
    userField = interaction.user.from
    candidateField = interaction.candidate.from
    atField = interaction.at.from
    atUnit = interaction.at.unit
    valueField = interaction.value.from
    var list = FieldList()
    user = list.position(of: interaction.user.from)
    candidate = list.position(of: interaction.candidate.from)
    at = list.position(of: interaction.at.from)
    value = list.position(of: interaction.value.from)
    names = list.names
    userEntity = interaction.user.entity
    candidateEntity = interaction.candidate.entity
    isOneKind = interaction.user.entity == interaction.candidate.entity
    isCoded = coded != nil
    words = interaction.value.map.map { ValueWords($0, coded: coded ?? []) }
  }

  @inline(__always)
  func user(
    _ record: borrowing Record, _ body: (Span<UInt8>) -> IdentityKey
  ) throws(RowRejected) -> IdentityKey {
    try record[user].withID(userField, body)
  }

  @inline(__always)
  func candidate(
    _ record: borrowing Record, _ body: (Span<UInt8>) -> IdentityKey
  ) throws(RowRejected) -> IdentityKey {
    try record[candidate].withID(candidateField, body)
  }

  /// What `body` makes of the id of the user, and below of the candidate.
  func withUser<Result>(
    _ record: borrowing Record, _ body: (Span<UInt8>) -> Result
  ) throws(RowRejected) -> Result {
    try record[user].withID(userField, body)
  }

  func withCandidate<Result>(
    _ record: borrowing Record, _ body: (Span<UInt8>) -> Result
  ) throws(RowRejected) -> Result {
    try record[candidate].withID(candidateField, body)
  }

  /// Milliseconds since 1970 UTC.
  @inline(__always)
  func at(_ record: borrowing Record, _ cache: inout InstantCache) throws(RowRejected) -> Int64 {
    // What is missing is no time either.
    guard let at = record[at].instant(integers: atUnit, &cache) else {
      throw record[self.at].rejected(.badTime, atField)
    }
    return at
  }

  /// The value, and its place among those that there can be, 0 where it is not coded.
  @inline(__always)
  func value(_ record: borrowing Record) throws(RowRejected) -> (code: UInt8, value: Double) {
    let field = valueField
    guard let words else {
      guard let number = try record[value].number(field) else {
        throw record[value].rejected(.unknownValue, field)
      }
      return (0, number)
    }
    if case .integer(let number) = record[value], let digit = UInt8(exactly: number), digit < 10 {
      // As most JSON exports have it: without a text made of it.
      guard let found = words[IdentityKey(digit: digit)] else {
        throw record[value].rejected(.unknownValue, field)
      }
      return found
    }
    guard let found = try record[value].withText(field, .unknownValue, { words[$0] }), let found else {
      throw record[value].rejected(.unknownValue, field)
    }
    return found
  }

  /// What is wrong with an id that stands where the rule says.
  func rejected(_ rule: IngestRule, _ value: String) -> RowRejected {
    let field = rule == .unknownUser ? userField : candidateField
    return RowRejected(rule: rule, field: field, value: value)
  }
}

/// The words of a pipeline file that stand for values, compared as bytes: a String as key would merge spellings.
private struct ValueWords: Sendable {
  private struct Word: Sendable {
    var key: IdentityKey
    var bytes: [UInt8]
    var code: UInt8
    var value: Double
  }

  /// Few, so that a look at each is faster than a table.
  private var words: [Word] = []

  init(_ map: [String: Double], coded: [Double]) {
    for (word, value) in map {
      let code = coded.firstIndex { $0.bitPattern == value.bitPattern } ?? 0
      let bytes = Array(word.utf8)
      words.append(Word(key: IdentityKey(bytes.span), bytes: bytes, code: UInt8(code), value: value))
    }
  }

  /// What a word of at most eight bytes stands for.
  @inline(__always)
  subscript(_ key: IdentityKey) -> (code: UInt8, value: Double)? {
    for index in words.indices where words[index].key == key {
      return (words[index].code, words[index].value)
    }
    return nil
  }

  @inline(__always)
  subscript(_ text: Span<UInt8>) -> (code: UInt8, value: Double)? {
    let key = IdentityKey(text)
    if key.length <= IdentityKey.wholeLength { return self[key] }
    for word in words where word.key == key {
      let bytes = word.bytes
      if ByteOrder.equal(bytes.span, text) { return (word.code, word.value) }
    }
    return nil
  }
}
