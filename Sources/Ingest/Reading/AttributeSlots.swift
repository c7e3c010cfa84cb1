internal import PipelineFile
internal import Readers
internal import RunSchemas

/// Extracts the values of attributes from records.
struct AttributeSlots: Sendable {
  /// An attribute and the slot of its field.
  ///
  /// This is a class, because copying a structure for each row would update the reference counts of all its
  /// strings.
  private final class AttributeField: Sendable {
    let slot: Int
    let attribute: Pipeline.Attribute

    init(slot: Int, _ attribute: Pipeline.Attribute) {
      self.slot = slot
      self.attribute = attribute
    }

    func append(_ record: borrowing Record, to column: inout AttributeValues) throws(RowRejected) {
      try column.append(record[slot], as: attribute)
    }

    func append(
      columnOf rows: borrowing OrdinaryRows, to column: inout AttributeValues
    ) throws(RowRejected) {
      let field = rows.field(slot)
      for row in 0..<rows.count { try column.append(rows.value(row, of: field), as: attribute) }
    }
  }

  private let fields: [AttributeField]

  init(_ attributes: [Pipeline.Attribute], in list: inout FieldSlots) {
    fields = attributes.map { AttributeField(slot: list.position(of: $0.from), $0) }
  }

  /// The fields that at least one record must have. The field of an optional attribute may be absent. Unless
  /// a flag is required, its field may also be absent, because a missing flag is `false`.
  var required: [String] {
    fields.map(\.attribute).filter { !$0.isOptional && ($0.type != .flag || $0.isRequired) }.map(\.from)
  }

  /// The fields that the header of a file must contain.
  var named: [String] { fields.map(\.attribute).filter { !$0.isOptional }.map(\.from) }

  /// The fields that may contain a list. Each value is the separator for a list in text form.
  var lists: [String: String] {
    let sets = fields.map(\.attribute).filter { $0.type == .tags || $0.type == .intervals }
    return Dictionary(sets.map { ($0.from, $0.separator) }) { first, _ in first }
  }

  /// Appends the values of `record` to `columns`, in the order of the attributes.
  ///
  /// - Throws: The fault of the row. `columns` may then contain some of the row's values.
  func append(_ record: borrowing Record, to columns: inout [AttributeValues]) throws(RowRejected) {
    for index in fields.indices { try fields[index].append(record, to: &columns[index]) }
  }

  /// Appends the values of many rows, column by column.
  ///
  /// - Throws: The fault of one of the rows. `columns` may then contain some of the values.
  func append(
    columnsOf rows: borrowing OrdinaryRows, to columns: inout [AttributeValues]
  ) throws(RowRejected) {
    for index in fields.indices { try fields[index].append(columnOf: rows, to: &columns[index]) }
  }

  /// Checks the order of the dates in `record`. Call this method after `append` has appended the values of
  /// `record` to `columns`. `created` is the creation time in milliseconds since 1970 UTC. A missing date is
  /// never in the wrong order.
  ///
  /// - Throws: The fault of the row.
  func checkDates(
    _ record: borrowing Record, in columns: [AttributeValues], created: Int64?
  ) throws(RowRejected) {
    for index in fields.indices {
      guard let other = fields[index].attribute.notBefore, let date = columns[index].instants.last,
        date != .min
      else { continue }
      // If an attribute and the creation time share a name, the attribute takes precedence.
      let place = fields.firstIndex { $0.attribute.name == other }
      let bound = place.map { columns[$0].instants.last ?? .min } ?? created ?? .min
      if date < bound {
        throw record[fields[index].slot].rejected(.dateTooEarly, fields[index].attribute.from)
      }
    }
  }
}
