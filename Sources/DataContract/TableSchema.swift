internal import PipelineFile
internal import Readers
internal import RunSchemas
internal import Text

/// The fields of an export that a pipeline reads, with their constraints.
struct TableSchema {
  /// A field that refers to an entity.
  private struct Reference {
    var field: String
    var entity: String
    var key: String
  }

  private var fields: [SchemaField] = []
  private let missing: [String]
  private var primaryKey: String?
  private var uniqueKeys: [[String]] = []
  private var references: [Reference] = []
  private var hasOptionalFields = false

  init(_ entity: Pipeline.Entity, in pipeline: Pipeline) {
    missing = entity.source.options.missing
    // With `updated`, an id may occur in several rows, so it is not a primary key.
    if entity.updated == nil { primaryKey = entity.id }
    let expected = entity.expectations
    add(entity.id, .string, "The id of the row.") { $0.isRequired = true }
    if let created = entity.created { add(created, "The creation time.") }
    if let updated = entity.updated {
      add(updated, "The time of the last change. If several rows have the same id, the newest row applies.")
    }
    if let owner = entity.owner { add(owner, "The owner", in: pipeline) }
    if let position = entity.position {
      let isRequired = expected.missingAtMost["position"] == 0
      add(position, entity.source) { name, field in
        field.isRequired = isRequired
        // If a number attribute has this name, the range in `expect` applies to the attribute.
        let range = entity.attribute(name)?.type == .number ? nil : expected.ranges[name]
        if let range { field.limit(to: range) }
      }
    }
    for attribute in entity.ownAttributes {
      add(attribute, entity.source) {
        if expected.missingAtMost[attribute.name] == 0 { $0.isRequired = true }
        if attribute.type == .number, let range = expected.ranges[attribute.name] { $0.limit(to: range) }
      }
    }
    // An entity can have many check-ins, so a set in `unique` that contains an attribute of check-ins is left
    // out.
    let ownSets = expected.unique.filter { set in
      set.allSatisfy { entity.attribute($0)?.isOfCheckIn == false }
    }
    require(unique: ownSets) { entity.attribute($0)?.from }
  }

  init(_ checkIns: Pipeline.CheckIns, in pipeline: Pipeline) {
    missing = checkIns.source.options.missing
    add(checkIns.id, .string, "The id of the check-in.") { $0.isRequired = true }
    add(checkIns.user, "The user who checked in", in: pipeline)
    add(checkIns.at, "The time of the check-in.") { $0.isRequired = true }
    add(checkIns.position, checkIns.source) { _, field in field.isRequired = true }
    for attribute in checkIns.attributes { add(attribute, checkIns.source) }
  }

  init(_ interaction: Pipeline.Interaction, in pipeline: Pipeline) {
    missing = interaction.source.options.missing
    let value = interaction.value
    for (reference, role) in [
      (interaction.user, "The acting user"), (interaction.candidate, "The candidate"),
    ] {
      add(reference, role, in: pipeline)
    }
    let likes =
      value.likedFrom.map { "at least \($0.short) is a like, and less is a pass" }
      ?? "above 0 is a like, and below 0 is a pass"
    if let map = value.map {
      let meaning = map.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      add(value.from, .string, "A text that the pipeline file converts to a value: \(likes).") {
        $0.isRequired = true
        $0.choices = meaning.map(\.key)
      }
      for field in value.otherFields {
        add(
          field, .number, "The value of the interaction if the text in '\(value.from)' refers to this field."
        ) {
          if let range = value.range { $0.limit(to: range) }
        }
      }
    } else if value.constant == nil {
      add(value.from, .number, "The value of the interaction: \(likes).") {
        $0.isRequired = true
        if let range = value.range { $0.limit(to: range) }
        if let range = interaction.expectations.ranges["value"] { $0.limit(to: range) }
      }
    }
    add(interaction.at, "The time of the interaction.") { $0.isRequired = true }
    var roles = [
      "user": interaction.user.from, "candidate": interaction.candidate.from, "at": interaction.at.from,
    ]
    if value.constant == nil { roles["value"] = value.from }
    require(unique: interaction.expectations.unique) { roles[$0] }
  }

  init(_ requests: Pipeline.Requests, in pipeline: Pipeline) {
    missing = requests.source.options.missing
    add(requests.user, "The requesting user", in: pipeline)
    add(requests.candidate, "The requested candidate", in: pipeline)
    add(requests.status.from, .string, "The status of the request.") {
      $0.isRequired = true
      $0.choices = requests.status.map.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
    add(requests.at, "The time of the request.") { $0.isRequired = true }
    add(
      requests.changed,
      "The time of the last change of the status. The field is empty for a pending request.")
  }

  private mutating func add(
    _ name: String, _ kind: SchemaField.SchemaFieldType, _ description: String,
    _ change: (inout SchemaField) -> Void = { _ in }
  ) {
    var field = SchemaField(name: name, kind: kind, descriptions: [description])
    change(&field)
    // Names are compared as bytes, like column names.
    if let index = fields.firstIndex(where: { $0.name.utf8.elementsEqual(name.utf8) }) {
      fields[index].merge(field)
    } else {
      fields.append(field)
    }
  }

  /// Adds the fields of a position. `change` receives the name of the coordinate, or an empty text for a
  /// field with both coordinates.
  private mutating func add(
    _ position: Pipeline.PositionFields, _ source: Pipeline.Source,
    _ change: (String, inout SchemaField) -> Void
  ) {
    switch position {
    case .coordinates(let latitude, let longitude):
      for (name, field, bound) in [("latitude", latitude, 90.0), ("longitude", longitude, 180.0)] {
        add(field, .number, "The position's \(name) in degrees.") {
          $0.limit(to: -bound...bound)
          change(name, &$0)
        }
      }
    case .point(let field, let order):
      let form =
        switch order {
        case .latitudeFirst: "the latitude, then the longitude, as a list or as a text such as 52.5,13.4"
        case .longitudeFirst: "the longitude, then the latitude, as a list or as a text such as 13.4,52.5"
        case .wkt: "WKT such as POINT(13.4 52.5), with the longitude first"
        }
      let kind: SchemaField.SchemaFieldType =
        order == .wkt || source.format.delimiter != nil ? .string : .any
      add(field, kind, "The position in degrees: \(form).") { change("", &$0) }
    }
  }

  private mutating func add(_ reference: Pipeline.Reference, _ role: String, in pipeline: Pipeline) {
    add(reference.from, .string, "\(role): an id of '\(reference.named)'.") {
      $0.isRequired = !reference.isOptional
    }
    // An optional reference may be empty or match no row, so it is not a foreign key.
    if !reference.isOptional, let key = pipeline.entity(reference.named)?.id {
      references.append(Reference(field: reference.from, entity: reference.named, key: key))
    }
  }

  private mutating func add(
    _ attribute: Pipeline.Attribute, _ source: Pipeline.Source,
    _ change: (inout SchemaField) -> Void = { _ in }
  ) {
    if attribute.isOptional { hasOptionalFields = true }
    let kind = SchemaField.SchemaFieldType(attribute.type, isDelimited: source.format.delimiter != nil)
    add(attribute.from, kind, attribute.description) {
      $0.isRequired = attribute.isRequired
      change(&$0)
    }
  }

  private mutating func add(
    _ time: Pipeline.TimeField, _ description: String, _ change: (inout SchemaField) -> Void = { _ in }
  ) {
    let (type, counted): (SchemaField.SchemaFieldType, String) =
      switch time.unit {
      // With this default unit, a number is also valid. It counts milliseconds since 1970 UTC.
      case .milliseconds: (.datetime, "Write the time as RFC 3339. A time without an offset is in UTC.")
      case .seconds: (.integer, "Seconds since 1970 UTC.")
      case .microseconds: (.integer, "Microseconds since 1970 UTC.")
      case .nanoseconds: (.integer, "Nanoseconds since 1970 UTC.")
      case .daysSince1900: (.number, "A spreadsheet date number; day 1 is 1900-01-01.")
      case .secondsSince2001: (.number, "Seconds since 2001-01-01 UTC.")
      }
    add(time.from, type, "\(description) \(counted)", change)
  }

  private mutating func require(unique sets: [[String]], _ field: (String) -> String?) {
    for set in sets {
      let names = set.compactMap(field)
      if names.count == 1, let index = fields.firstIndex(where: { $0.name.utf8.elementsEqual(names[0].utf8) })
      {
        fields[index].isUnique = true
      } else {
        uniqueKeys.append(names)
      }
    }
  }
}

extension TableSchema {
  /// The schema as a JSON object, without references to other tables.
  var json: JSONValue {
    var members: [String: JSONValue] = [
      "fields": .array(fields.map(\.json)),
      // Exports may have additional columns and any order of columns, and may lack optional columns.
      "fieldsMatch": hasOptionalFields ? "partial" : "subset",
      // An empty text always means a missing value.
      "missingValues": .array(([""] + missing.filter { !$0.isEmpty }).map(JSONValue.string)),
    ]
    if let primaryKey { members["primaryKey"] = .string(primaryKey) }
    if !uniqueKeys.isEmpty {
      members["uniqueKeys"] = .array(uniqueKeys.map { .array($0.map(JSONValue.string)) })
    }
    return .object(members)
  }

  /// Returns the schema with references to other tables of the package. `names` contains the resource names
  /// of the tables.
  func json(references names: ResourceNames) -> JSONValue {
    var members = json.members
    guard !references.isEmpty else { return json }
    members["foreignKeys"] = .array(
      references.map {
        [
          "fields": .string($0.field),
          "reference": ["resource": .string(names[$0.entity]), "fields": .string($0.key)],
        ]
      })
    return .object(members)
  }
}

extension Pipeline.Attribute {
  /// The description of the attribute, for the people who write the export.
  fileprivate var description: String {
    let what = "The \(type) '\(name)'."
    switch type {
    case .category, .number, .flag, .text: return what
    case .tags: return what + " A list, or a text with '\(separator)' between tags."
    case .date: return what + " A date such as 1990-05-01, or an RFC 3339 time."
    case .intervals:
      return what + " A list of objects with '\(ends.begin)' and '\(ends.end)', or of texts such as "
        + "2026-05-01T08:00:00Z/2026-05-01T12:00:00Z; or one text of several intervals with '\(separator)' "
        + "between them."
    }
  }
}
