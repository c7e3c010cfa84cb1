internal import Columns
internal import Files
internal import PipelineFile
internal import RunSchemas
internal import Text

/// The fields of candidates that recommendations contain: the JSON object `shown`.
struct ShownCandidates: Sendable {
  private enum Value: Sendable {
    case attribute(AttributeColumn)
    case position(latitude: Column<Double>, longitude: Column<Double>)
    case owner(Column<UInt32>, ids: StringColumn)
    case age(Column<Int64>, at: Instant)
  }

  /// The shown fields, in the order of the pipeline file. A key includes its delimiters, such as `,"name":`.
  private let fields: [(key: [UInt8], value: Value)]

  /// Reads the fields that the ranking shows.
  ///
  /// - Returns: The fields, or `nil` if the ranking does not show any.
  init?(_ ranking: Pipeline.Ranking, _ pipeline: Pipeline, _ snapshot: Snapshot) {
    self.init(ranking.shown, of: ranking.candidates, pipeline, snapshot)
  }

  /// Reads the fields `shown` of the candidates, which are rows of `entity`.
  ///
  /// - Returns: The fields, or `nil` if `shown` is empty.
  init?(_ shown: [Pipeline.ShownField], of entity: String, _ pipeline: Pipeline, _ snapshot: Snapshot) {
    guard !shown.isEmpty, let table = snapshot.entities[entity] else { return nil }
    let owners = pipeline.entity(entity)?.owner.flatMap { snapshot.entities[$0.entity]?.ids }
    let asOf = snapshot.manifest.asOf
    fields = shown.enumerated().map { index, field in
      var key = JSONText()
      key.append(raw: index == 0 ? "{" : ",")
      key.append(string: Array(field.name.utf8).span)
      key.append(raw: ":")
      return (key.bytes, Self.value(field, table, owners, asOf))
    }
  }

  private static func value(
    _ field: Pipeline.ShownField, _ table: EntityTable, _ owners: StringColumn?, _ asOf: Instant
  ) -> Value {
    switch field {
    case .attribute(let name):
      if let column = table.attribute(name) { return .attribute(column) }
    case .position:
      if let latitude = table.latitude, let longitude = table.longitude {
        return .position(latitude: latitude, longitude: longitude)
      }
    case .age(let name):
      if let dates = table.dates[name] { return .age(dates, at: asOf) }
    case .owner:
      if let owner = table.owner, let owners { return .owner(owner, ids: owners) }
    }
    preconditionFailure("the snapshot does not contain the shown field '\(field.name)'")
  }

  /// Appends an object with the fields of the candidate at `row`. A missing value is `null`.
  func append(_ row: Int, to text: inout JSONText) {
    for (key, value) in fields {
      text.append(raw: key.span)
      switch value {
      case .attribute(let column): column.append(row, to: &text)
      case .position(let latitude, let longitude):
        guard latitude[row].isFinite else {
          text.append(raw: "null")
          continue
        }
        text.append(raw: "{\"latitude\":")
        text.append(number: latitude[row])
        text.append(raw: ",\"longitude\":")
        text.append(number: longitude[row])
        text.append(raw: "}")
      case .age(let dates, let moment):
        let born = dates[row] == .min ? nil : Instant(milliseconds: dates[row])
        if let age = born?.age(at: moment) {
          text.append(integer: age)
        } else {
          text.append(raw: "null")
        }
      case .owner(let owner, let ids):
        if owner[row] == EntityTable.noOwner {
          text.append(raw: "null")
        } else {
          text.append(string: ids.bytes(Int(owner[row])))
        }
      }
    }
    text.append(raw: "}")
  }
}
