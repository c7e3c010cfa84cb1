internal import Exports
internal import PipelineFile
internal import Tables

/// The rows of one kind of interaction: read, checked, with the numbers of both ids.
struct InteractionRows: Sendable {
  struct Row: Sendable {
    /// Numbers in the tables of identities of the user's and the candidate's entity.
    var user: UInt32
    var candidate: UInt32
    var at: Int64
    var value: Double
  }

  let interaction: Pipeline.Interaction
  /// In the order of the files.
  private(set) var rows: [Row] = []
  /// Where each row stood; empty unless an expectation may have to name one.
  private(set) var places: [CheckedRows.Place] = []
  var counts = SourceCounts()
  private(set) var rejects = RejectLog()
  private(set) var reading = SourceReading()

  /// Reads the files of `interaction`'s source against the entities that were kept.
  ///
  /// - Throws: `ExportError`, `DuckDBError`.
  init(_ interaction: Pipeline.Interaction, in pipeline: Pipeline, entities: [String: EntityRows]) throws {
    guard let users = entities[interaction.user.entity]?.ids,
      let candidates = entities[interaction.candidate.entity]?.ids
    else { preconditionFailure("'\(interaction.name)' refers to an entity that was not read") }
    self.interaction = interaction
    let expected = interaction.expectations
    let keepsPlaces = !expected.unique.isEmpty || !expected.ranges.isEmpty
    let parser = InteractionParser(interaction)
    var reading = SourceReading()
    for source in try SourceReading.files(of: interaction.source, in: pipeline) {
      let file = rejects.open(source.shown)
      try reading.read(source, of: interaction.source, in: pipeline, fields: parser.names) { record in
        counts.read += 1
        do throws(RowRejected) {
          if let fault = record.fault { throw RowRejected(fault) }
          rows.append(try parser.row(record, users: users, candidates: candidates))
          if keepsPlaces {
            places.append(CheckedRows.Place(file: file, unit: record.unit, number: record.number))
          }
        } catch {
          rejects.add(error, file: file, number: record.number, unit: record.unit)
        }
      }
    }
    _ = try reading.absentFields(required: parser.names, of: interaction.source)
    self.reading = reading
    counts.rules = rejects.counts
    counts.written = rejects.countsWritten
  }
}

/// What turns a record into an interaction.
private struct InteractionParser: Sendable {
  let interaction: Pipeline.Interaction
  let names: [String]
  private let user: Int
  private let candidate: Int
  private let at: Int
  private let value: Int
  private let isOneKind: Bool
  /// By bytes: a String as key would merge spellings.
  private let values: [[UInt8]: Double]?

  init(_ interaction: Pipeline.Interaction) {
    self.interaction = interaction
    var list = FieldList()
    user = list.position(of: interaction.user.from)
    candidate = list.position(of: interaction.candidate.from)
    at = list.position(of: interaction.at.from)
    value = list.position(of: interaction.value.from)
    names = list.names
    isOneKind = interaction.user.entity == interaction.candidate.entity
    values = interaction.value.map.map { map in
      Dictionary(uniqueKeysWithValues: map.map { (Array($0.key.utf8), $0.value) })
    }
  }

  func row(_ record: borrowing Record, users: IdentityTable, candidates: IdentityTable)
    throws(RowRejected) -> InteractionRows.Row
  {
    let userID = try record[user].id(interaction.user.from)
    let candidateID = try record[candidate].id(interaction.candidate.from)
    guard let userNumber = users.number(of: userID.span) else {
      throw record[user].rejected(.unknownUser, interaction.user.from)
    }
    guard let candidateNumber = candidates.number(of: candidateID.span) else {
      throw record[candidate].rejected(.unknownCandidate, interaction.candidate.from)
    }
    if isOneKind && userNumber == candidateNumber {
      throw record[candidate].rejected(.selfInteraction, interaction.candidate.from)
    }
    guard let at = try record[at].time(interaction.at) else {
      throw record[at].rejected(.badTime, interaction.at.from)
    }
    return InteractionRows.Row(
      user: UInt32(userNumber), candidate: UInt32(candidateNumber), at: at, value: try value(record))
  }

  private func value(_ record: borrowing Record) throws(RowRejected) -> Double {
    let field = interaction.value.from
    guard let values else {
      guard let number = try record[value].number(field) else {
        throw record[value].rejected(.unknownValue, field)
      }
      return number
    }
    guard let text = try record[value].text(field, .unknownValue), let number = values[text] else {
      throw record[value].rejected(.unknownValue, field)
    }
    return number
  }
}
