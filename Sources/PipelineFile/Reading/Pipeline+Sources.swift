internal import Readers
internal import RunSchemas

// Reads `privacy`, and the entries of `entities` and `interactions`.

extension Pipeline.Privacy {
  init(_ setting: Setting) throws(PipelineFileError) {
    let keys = try setting.mapping(keys: ["snap_positions_to", "erasures"])
    if let precision = keys["snap_positions_to"] {
      if precision.isMapping {
        try readChoice(precision)
      } else {
        snapPrecision = try precision.integer(1...12)
      }
      isDefault = false
    }
    if let erasures = keys["erasures"] { self.erasures = try erasures.text() }
  }
}

extension Pipeline.TimeField {
  init(_ setting: Setting) throws(PipelineFileError) {
    guard setting.isMapping else {
      from = try setting.text()
      return
    }
    let keys = try setting.mapping(keys: ["from", "unit"])
    from = try setting.required("from", in: keys).text()
    if let unit = keys["unit"] { self.unit = try unit.choice(TimeUnit.self) }
  }
}

extension Pipeline.Entity {
  init(_ name: String, _ setting: Setting) throws(PipelineFileError) {
    let keys = try setting.mapping(
      keys: [
        "source", "id", "created", "updated", "owner", "position", "attributes", "expect",
      ] + Pipeline.Source.limitKeys)
    self.name = name
    source = try Pipeline.Source(setting, with: keys)
    id = try setting.required("id", in: keys).text()
    created = try keys["created"].map(Pipeline.TimeField.init)
    updated = try keys["updated"].map(Pipeline.TimeField.init)
    position = try keys["position"].map(Pipeline.PositionFields.init)
    for (name, attribute) in try keys["attributes"]?.namedSettings() ?? [] {
      attributes.append(try Pipeline.Attribute(name, attribute))
    }
    if let attributes = keys["attributes"] { try checkDateRules(attributes) }
  }
}

extension Pipeline.PositionFields {
  init(_ setting: Setting) throws(PipelineFileError) {
    let fields = try setting.mapping(keys: ["latitude", "longitude", "point", "order"])
    guard let point = fields["point"] else {
      if let order = fields["order"] {
        throw order.mistake("'\(order.path)' has no effect without 'point'", advice: "Remove this key.")
      }
      self = .coordinates(
        latitude: try setting.required("latitude", in: fields).text(),
        longitude: try setting.required("longitude", in: fields).text())
      return
    }
    guard fields["latitude"] == nil, fields["longitude"] == nil else {
      throw setting.mistake(
        "\(setting.label) has 'point' and also 'latitude' or 'longitude'",
        advice: "Name one field with 'point' and 'order', or two fields with 'latitude' and 'longitude'.")
    }
    self = .point(
      try point.text(), try setting.required("order", in: fields).choice(Pipeline.PointOrder.self))
  }
}

extension Pipeline.Attribute {
  init(_ name: String, _ setting: Setting) throws(PipelineFileError) {
    let keys = try setting.mapping(keys: [
      "type", "from", "optional", "required", "separator", "ends", "names", "not_before", "not_in_future",
    ])
    self.name = name
    type = try setting.required("type", in: keys).choice(AttributeType.self)
    from = try keys["from"]?.text() ?? name
    if let optional = keys["optional"] { isOptional = try optional.boolean() }
    if let required = keys["required"] {
      isRequired = try required.boolean()
      guard !(isRequired && isOptional) else {
        throw required.mistake(
          "'\(name)' is both required and optional", advice: "Remove one of the two.")
      }
    }
    if let separator = keys["separator"] {
      guard type == .tags || type == .intervals else {
        throw separator.mistake(
          "'\(separator.path)' is only for tags and intervals, but the type of '\(name)' is \(type)",
          advice: "Remove this key.")
      }
      self.separator = try separator.text()
    }
    if let ends = keys["ends"] { self.ends = try ends.intervalEnds(of: self) }
    try readDateRules(keys)
    if let names = keys["names"] {
      guard type == .category else {
        throw names.mistake(
          "'\(names.path)' is only for categories, but the type of '\(name)' is \(type)",
          advice: "Remove this key."
        )
      }
      self.names = try Pipeline.CanonicalNames(names)
    }
  }
}

extension Pipeline.Reference {
  /// Reads `user: COLUMN` if only one entity exists, or `user: { from: COLUMN, entity: KIND }`. `others` are
  /// additional valid keys of the mapping.
  init(
    _ setting: Setting, _ entities: [Pipeline.Entity], besides others: [String] = []
  ) throws(PipelineFileError) {
    let names = entities.map(\.name)
    guard setting.isMapping else {
      from = try setting.text()
      guard let only = names.first, names.count == 1 else {
        throw setting.mistake(
          "'\(setting.path)' must name the entity to which it refers: one of \(names.joined(separator: ", "))",
          advice: "Write { from: \(from), entity: ENTITY }.")
      }
      entity = only
      return
    }
    let keys = try setting.mapping(keys: ["from", "entity"] + others)
    from = try setting.required("from", in: keys).text()
    entity = try setting.required("entity", in: keys).entityName(names)
  }
}

extension Setting {
  func entityName(_ names: [String]) throws(PipelineFileError) -> String {
    let name = try text()
    guard names.contains(name) else { throw unknown(name, among: names, called: "entity") }
    return name
  }
}

extension Pipeline.Interaction {
  init(_ name: String, _ setting: Setting, _ entities: [Pipeline.Entity]) throws(PipelineFileError) {
    let keys = try setting.mapping(
      keys: ["source", "user", "candidate", "at", "value", "expect"] + Pipeline.Source.limitKeys)
    self.name = name
    source = try Pipeline.Source(setting, with: keys)
    user = try Pipeline.Reference(setting.required("user", in: keys), entities)
    let candidate = try setting.required("candidate", in: keys)
    self.candidate = try Pipeline.Reference(candidate, entities, besides: ["of", "once"])
    at = try Pipeline.TimeField(setting.required("at", in: keys))
    value = try Pipeline.ValueField(setting.required("value", in: keys))
    if candidate.isMapping { try readBelongings(candidate, entities) }
    if let expect = keys["expect"] {
      expectations = try Pipeline.Expectations(expect, .interaction(name))
    }
  }
}
