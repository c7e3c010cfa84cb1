internal import Exports
internal import PipelineFile
internal import Tables

/// Finds the parts of an interaction in a record.
///
/// A class, as a copy for each row would count references to all of its texts.
final class InteractionParser: Sendable {
  let interaction: Pipeline.Interaction
  let names: [String]
  /// Whether users and candidates are of one kind, so that nobody may interact with oneself.
  let isOneKind: Bool
  /// Whether values are told by their place among few.
  let isCoded: Bool
  private let user: Int
  private let candidate: Int
  private let at: Int
  private let value: Int
  private let words: ValueWords?

  /// - Parameters:
  ///   - interaction: Where the parts stand.
  ///   - coded: All values that there can be, where they are to be told by their place among these.
  init(_ interaction: Pipeline.Interaction, coded: [Double]?) {
    self.interaction = interaction
    var list = FieldList()
    user = list.position(of: interaction.user.from)
    candidate = list.position(of: interaction.candidate.from)
    at = list.position(of: interaction.at.from)
    value = list.position(of: interaction.value.from)
    names = list.names
    isOneKind = interaction.user.entity == interaction.candidate.entity
    isCoded = coded != nil
    words = interaction.value.map.map { ValueWords($0, coded: coded ?? []) }
  }

  @inline(__always)
  func user(
    _ record: borrowing Record, _ body: (Span<UInt8>) -> IdentityKey
  ) throws(RowRejected) -> IdentityKey {
    try record[user].withID(interaction.user.from, body)
  }

  @inline(__always)
  func candidate(
    _ record: borrowing Record, _ body: (Span<UInt8>) -> IdentityKey
  ) throws(RowRejected) -> IdentityKey {
    try record[candidate].withID(interaction.candidate.from, body)
  }

  /// Milliseconds since 1970 UTC.
  @inline(__always)
  func at(_ record: borrowing Record) throws(RowRejected) -> Int64 {
    guard let at = try record[at].time(interaction.at) else {
      throw record[self.at].rejected(.badTime, interaction.at.from)
    }
    return at
  }

  /// The value, and its place among those that there can be, 0 where it is not coded.
  @inline(__always)
  func value(_ record: borrowing Record) throws(RowRejected) -> (code: UInt8, value: Double) {
    let field = interaction.value.from
    guard let words else {
      guard let number = try record[value].number(field) else {
        throw record[value].rejected(.unknownValue, field)
      }
      return (0, number)
    }
    guard let found = try record[value].withText(field, .unknownValue, { words[$0] }), let found else {
      throw record[value].rejected(.unknownValue, field)
    }
    return found
  }

  /// What is wrong with an id that stands where the rule says.
  func rejected(_ rule: IngestRule, _ value: String) -> RowRejected {
    let field = rule == .unknownUser ? interaction.user.from : interaction.candidate.from
    return RowRejected(rule: rule, field: field, value: value)
  }
}

/// The words of a pipeline file that stand for values, compared as bytes: a String as key would merge spellings.
private struct ValueWords: Sendable {
  private var table = IdentityTable()
  private var values: [(code: UInt8, value: Double)] = []

  init(_ map: [String: Double], coded: [Double]) {
    for (word, value) in map {
      // A second spelling of a word's accents is another word.
      guard table.insert(Array(word.utf8).span) == values.count else { continue }
      let code = coded.firstIndex { $0.bitPattern == value.bitPattern } ?? 0
      values.append((UInt8(code), value))
    }
  }

  subscript(_ word: Span<UInt8>) -> (code: UInt8, value: Double)? {
    table.number(of: word).map { values[$0] }
  }
}
