internal import PipelineFile
internal import Readers
internal import RunSchemas

/// Where attributes stand in records.
struct AttributeSlots: Sendable {
  /// A class, as copies for each row would count references to all of its texts.
  private final class AttributeField: Sendable {
    let slot: Int
    let attribute: Pipeline.Attribute

    init(slot: Int, _ attribute: Pipeline.Attribute) {
      self.slot = slot
      self.attribute = attribute
    }

    // Here, as taking the attribute out would count references as well.
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

  /// The fields that some record should have. A flag that nobody has set is in order.
  var required: [String] {
    fields.map(\.attribute).filter { !$0.isOptional && ($0.type != .flag || $0.isRequired) }.map(\.from)
  }

  /// The fields that a file with a header must name.
  var named: [String] { fields.map(\.attribute).filter { !$0.isOptional }.map(\.from) }

  /// The fields where a list may stand, with what parts its elements in a text.
  var lists: [String: String] {
    let sets = fields.map(\.attribute).filter { $0.type == .tags || $0.type == .intervals }
    return Dictionary(sets.map { ($0.from, $0.separator) }) { first, _ in first }
  }

  /// Appends the values of `record` to `columns`, in the order of the attributes.
  ///
  /// - Throws: What is wrong with the row. `columns` may have values of it then.
  func append(_ record: borrowing Record, to columns: inout [AttributeValues]) throws(RowRejected) {
    for index in fields.indices { try fields[index].append(record, to: &columns[index]) }
  }

  /// The same of many rows, a column at a time.
  func append(
    columnsOf rows: borrowing OrdinaryRows, to columns: inout [AttributeValues]
  ) throws(RowRejected) {
    for index in fields.indices { try fields[index].append(columnOf: rows, to: &columns[index]) }
  }

  /// Compares the dates of `record`, which `append` has put last in `columns`; what is missing is before nothing.
  ///
  /// - Throws: What is wrong with the row.
  func checkDates(
    _ record: borrowing Record, in columns: [AttributeValues], created: Int64?
  ) throws(RowRejected) {
    for index in fields.indices {
      guard let other = fields[index].attribute.notBefore, let date = columns[index].instants.last,
        date != .min
      else { continue }
      // An attribute of that name goes before the time.
      let place = fields.firstIndex { $0.attribute.name == other }
      let bound = place.map { columns[$0].instants.last ?? .min } ?? created ?? .min
      if date < bound {
        throw record[fields[index].slot].rejected(.dateTooEarly, fields[index].attribute.from)
      }
    }
  }
}
