internal import Columns
internal import PipelineFile
internal import Readers
internal import RunSchemas

/// Finds the parts of an interaction in a record.
///
/// A class, as a copy for each row would count references to all of its texts.
final class InteractionParser: Sendable {
  let names: [String]
  /// What kinds of entities the ids are of.
  let userEntity: String
  let candidateEntity: String
  /// By rank of what the candidate's field names: the rank of whom it belongs to, if that is meant.
  let owners: [UInt32]?
  /// Whether users and candidates are of one kind, so that nobody may interact with oneself.
  let isOneKind: Bool
  /// Whether values are told by their place among few.
  let isCoded: Bool
  /// Whether some rows are no interactions.
  let ignoresRows: Bool
  /// The fields that some record should have, or the pipeline file misspells them.
  let required: [String]
  private let user: Int
  private let candidate: Int
  private let at: Int
  private let value: Int
  private let userField: String
  private let candidateField: String
  private let atField: String
  fileprivate let atUnit: IntegerTimes
  private let valueField: String
  private let words: ValueWords?
  private let range: ClosedRange<Double>?

  /// - Parameters:
  ///   - interaction: Where the parts stand.
  ///   - coded: All values that there can be, where they are to be told by their place among these.
  ///   - owners: By rank of what the candidate's field names: the rank of whom it belongs to, if that is meant.
  init(_ interaction: Pipeline.Interaction, coded: [Double]?, owners: [UInt32]?) {
    self.owners = owners
    userField = interaction.user.from
    candidateField = interaction.candidate.from
    atField = interaction.at.from
    atUnit = interaction.at.unit
    valueField = interaction.value.from
    var list = FieldSlots()
    user = list.position(of: interaction.user.from)
    candidate = list.position(of: interaction.candidate.from)
    at = list.position(of: interaction.at.from)
    value = list.position(of: interaction.value.from)
    words = interaction.value.map.map { ValueWords($0, coded: coded ?? [], in: &list) }
    range = interaction.value.range
    names = list.names
    ignoresRows = interaction.value.map?.values.contains(.ignored) ?? false
    // What is no interaction may lack the rest.
    required =
      [interaction.user.from, interaction.candidate.from, interaction.value.from]
      + (ignoresRows ? [] : [interaction.at.from])
    userEntity = interaction.user.entity
    candidateEntity = interaction.candidate.named
    isOneKind = interaction.user.entity == interaction.candidate.entity
    isCoded = coded != nil
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

  /// The rank of the candidate, where the field names what has the rank `item`; `IdentitySlots.empty` where that is
  /// nobody's.
  @inline(__always)
  func candidate(of item: UInt32) -> UInt32 {
    guard let owners, item != IdentitySlots.empty else { return item }
    let owner = owners[Int(item)]
    return owner == EntityTable.noOwner ? IdentitySlots.empty : owner
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

  /// Where the parts stand in `rows`; `nil` where not all do, or values are no words.
  @_lifetime(copy rows)
  func columns(of rows: borrowing OrdinaryRows) -> InteractionFields? {
    guard let words = words?.plain, let user = rows.column(user), let candidate = rows.column(candidate),
      let at = rows.column(at), let value = rows.column(value, orOfWords: true)
    else { return nil }
    return InteractionFields(user: user, candidate: candidate, at: at, value: value, words: words, of: self)
  }

  /// Whether the record is no interaction, whatever else it holds.
  func ignores(_ record: borrowing Record) -> Bool {
    guard let found = try? word(record) else { return false }
    return found.isIgnored
  }

  /// The value, and its place among those that there can be, 0 where it is not coded.
  @inline(__always)
  func value(_ record: borrowing Record) throws(RowRejected) -> (code: UInt8, value: Double) {
    guard let found = try word(record) else { return (0, try number(record, value)) }
    if let slot = found.slot { return (0, try number(record, slot)) }
    return (found.code, found.value)
  }

  /// The number in the field at `slot`.
  private func number(_ record: borrowing Record, _ slot: Int) throws(RowRejected) -> Double {
    guard let number = try record[slot].number(names[slot]) else {
      throw record[slot].rejected(.unknownValue, names[slot])
    }
    if let range, !range.contains(number) { throw record[slot].rejected(.valueOutOfRange, names[slot]) }
    return number
  }

  /// What the word of the value's field stands for; `nil` where the field holds the number itself.
  @inline(__always)
  private func word(_ record: borrowing Record) throws(RowRejected) -> ValueWords.Found? {
    let field = valueField
    guard let words else { return nil }
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

/// Where the parts of interactions stand in ordinary rows, and what they mean.
struct InteractionFields: ~Escapable {
  let user: OrdinaryRows.Column
  let candidate: OrdinaryRows.Column
  let at: OrdinaryRows.Column
  let value: OrdinaryRows.Column
  let atUnit: IntegerTimes
  let words: PlainWords
  let isOneKind: Bool
  private let owners: [UInt32]?

  @_lifetime(copy user, copy candidate, copy at, copy value)
  fileprivate init(
    user: OrdinaryRows.Column, candidate: OrdinaryRows.Column, at: OrdinaryRows.Column,
    value: OrdinaryRows.Column, words: PlainWords, of parser: InteractionParser
  ) {
    self.user = user
    self.candidate = candidate
    self.at = at
    self.value = value
    self.words = words
    atUnit = parser.atUnit
    isOneKind = parser.isOneKind
    owners = parser.owners
  }

  /// As `InteractionParser.candidate`.
  @inline(__always)
  func candidate(of item: UInt32) -> UInt32 {
    guard let owners, item != IdentitySlots.empty else { return item }
    let owner = owners[Int(item)]
    return owner == EntityTable.noOwner ? IdentitySlots.empty : owner
  }
}
