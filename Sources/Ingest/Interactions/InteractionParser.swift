internal import Columns
internal import PipelineFile
internal import Readers
internal import RunSchemas

/// Extracts the fields of an interaction from a record.
///
/// This is a class, because copying a structure for each row would update the reference counts of all its
/// strings.
final class InteractionParser: Sendable {
  let names: [String]
  /// The entities that the ids refer to.
  let userEntity: String
  let candidateEntity: String
  /// The rank of each item's owner, by the rank of the item; `nil` if the item is the candidate. An item is
  /// the row whose id is in the candidate's field.
  let owners: [UInt32]?
  /// Whether users and candidates are the same entity. If so, self-interactions are rejected.
  let isOneKind: Bool
  /// Whether values are stored as codes, because the pipeline file allows at most 256 values.
  let isCoded: Bool
  /// Whether the pipeline file ignores some rows.
  let ignoresRows: Bool
  /// The fields that at least one record must have. If no record has a field, the pipeline file probably
  /// misspells its name.
  let required: [String]
  private let user: Int
  private let candidate: Int
  private let at: Int
  private let value: Int
  private let userField: String
  private let candidateField: String
  fileprivate let time: Pipeline.TimeField
  private let valueField: String
  private let words: ValueWords?
  private let range: ClosedRange<Double>?
  /// The value of every row; `nil` if a field contains the value.
  private let constant: Double?

  /// - Parameters:
  ///   - interaction: The kind of interaction, with the names of its fields.
  ///   - coded: All possible values, if values are stored as indices into this array; otherwise `nil`.
  ///   - owners: The rank of each item's owner, by the rank of the item; `nil` if the item is the candidate.
  ///     An item is the row whose id is in the candidate's field.
  init(_ interaction: Pipeline.Interaction, coded: [Double]?, owners: [UInt32]?) {
    self.owners = owners
    userField = interaction.user.from
    candidateField = interaction.candidate.from
    time = interaction.at
    valueField = interaction.value.from
    var list = FieldSlots()
    user = list.position(of: interaction.user.from)
    candidate = list.position(of: interaction.candidate.from)
    at = list.position(of: interaction.at.from)
    constant = interaction.value.constant
    // If the value is constant, this slot is not used.
    value = constant == nil ? list.position(of: interaction.value.from) : user
    words = interaction.value.map.map { ValueWords($0, coded: coded ?? [], in: &list) }
    range = interaction.value.range
    names = list.names
    ignoresRows = interaction.value.map?.values.contains(.ignored) ?? false
    // Ignored rows may have no time.
    required =
      [interaction.user.from, interaction.candidate.from]
      + (interaction.value.constant == nil ? [interaction.value.from] : [])
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

  /// Calls `body` with the user's id.
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

  /// Returns the rank of the candidate for the item with the rank `item`; `IdentitySlots.empty` if the item
  /// or its owner is unknown.
  @inline(__always)
  func candidate(of item: UInt32) -> UInt32 {
    guard let owners, item != IdentitySlots.empty else { return item }
    let owner = owners[Int(item)]
    return owner == EntityTable.noOwner ? IdentitySlots.empty : owner
  }

  /// Returns the user as the account that wrote the record; see `RowRejected.account`.
  func account(of record: borrowing Record) -> UInt64? {
    record.fault == nil ? record[user].account : nil
  }

  /// Returns the time of the interaction. A missing time is rejected as `bad_time`.
  @inline(__always)
  func at(_ record: borrowing Record, _ cache: inout InstantCache) throws(RowRejected) -> Moment {
    guard let moment = record[at].moment(unit: time.unit, &cache),
      time.plausible.contains(moment.milliseconds)
    else { throw record[at].rejectedTime(time) }
    return moment
  }

  /// Returns the columns of the interaction's fields in `rows`; `nil` if a column is missing or if the
  /// pipeline file does not map words to values.
  @_lifetime(copy rows)
  func columns(of rows: borrowing OrdinaryRows) -> InteractionFields? {
    guard let words = words?.plain, let user = rows.column(user), let candidate = rows.column(candidate),
      let at = rows.column(at), let value = rows.column(value, orOfWords: true)
    else { return nil }
    return InteractionFields(user: user, candidate: candidate, at: at, value: value, words: words, of: self)
  }

  /// Returns whether the pipeline file ignores the record. The other fields of an ignored record are not
  /// checked.
  func ignores(_ record: borrowing Record) -> Bool {
    guard let found = try? word(record) else { return false }
    return found.isIgnored
  }

  /// Returns the value and its code. The code is 0 if values are not coded.
  @inline(__always)
  func value(_ record: borrowing Record) throws(RowRejected) -> (code: UInt8, value: Double) {
    if let constant { return (0, constant) }
    guard let found = try word(record) else { return (0, try number(record, value)) }
    if let slot = found.slot { return (0, try number(record, slot)) }
    return (found.code, found.value)
  }

  /// Returns the number in the field at `slot`.
  private func number(_ record: borrowing Record, _ slot: Int) throws(RowRejected) -> Double {
    guard let number = try record[slot].number(names[slot]) else {
      throw record[slot].rejected(.unknownValue, names[slot])
    }
    if let range, !range.contains(number) { throw record[slot].rejected(.valueOutOfRange, names[slot]) }
    return number
  }

  /// Returns the meaning of the word in the value's field; `nil` if this field contains the number itself.
  @inline(__always)
  private func word(_ record: borrowing Record) throws(RowRejected) -> ValueWords.Found? {
    let field = valueField
    guard let words else { return nil }
    if case .integer(let number) = record[value], let digit = UInt8(exactly: number), digit < 10 {
      // In JSON exports, the value is usually a digit. A digit is looked up without creating a `String`.
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

  /// Returns the rejection of a row by `rule`. `id` is the user's id if the rule is `unknownUser`, otherwise
  /// the candidate's.
  func rejected(_ rule: IngestRule, _ id: [UInt8]) -> RowRejected {
    RowRejected(
      rule: rule, field: rule == .unknownUser ? userField : candidateField,
      value: String(decoding: id, as: UTF8.self))
  }
}

/// The columns of an interaction's fields in ordinary rows, and the meaning of their values.
struct InteractionFields: ~Escapable {
  let user: OrdinaryRows.Column
  let candidate: OrdinaryRows.Column
  let at: OrdinaryRows.Column
  let value: OrdinaryRows.Column
  let unit: TimeUnit
  /// The plausible times, in milliseconds since 1970 UTC.
  let plausible: ClosedRange<Int64>
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
    unit = parser.time.unit
    plausible = parser.time.plausible
    isOneKind = parser.isOneKind
    owners = parser.owners
  }

  /// Equivalent to `InteractionParser.candidate(of:)`.
  @inline(__always)
  func candidate(of item: UInt32) -> UInt32 {
    guard let owners, item != IdentitySlots.empty else { return item }
    let owner = owners[Int(item)]
    return owner == EntityTable.noOwner ? IdentitySlots.empty : owner
  }
}
