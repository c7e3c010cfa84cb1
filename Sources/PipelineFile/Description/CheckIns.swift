internal import Readers

extension Pipeline {
  /// The check-ins of one entity. Each row of the entity gets its position and its check-in attributes from
  /// its newest check-in, unless this check-in has expired.
  package struct CheckIns: Hashable, Sendable {
    package var name: String
    package var source: Source
    /// The field of the id. If two check-ins have the same time, the check-in with the greater id in byte
    /// order counts as newer.
    package var id: String
    /// The reference to the person or thing that checked in.
    package var user: Reference
    package var at: TimeField
    package var position: PositionFields
    /// The maximum age of a check-in at the as-of time, in milliseconds, inclusive; `nil` for no limit.
    package var expiresAfter: Int64? = CheckIns.oneDay
    /// The attributes that check-ins set, sorted by name.
    package var attributes: [Attribute] = []
    package var expectations = Expectations()

    private static let oneDay: Int64 = 86_400_000
  }
}

extension Pipeline.CheckIns {
  init(_ name: String, _ setting: Setting, _ entities: [Pipeline.Entity]) throws(PipelineFileError) {
    let keys = try setting.mapping(
      keys: [
        "source", "id", "user", "at", "position", "expires_after", "attributes", "expect",
      ] + Pipeline.Source.limitKeys)
    self.name = name
    source = try Pipeline.Source(setting, with: keys)
    id = try setting.required("id", in: keys).text()
    user = try Pipeline.Reference(setting.required("user", in: keys), entities)
    at = try Pipeline.TimeField(setting.required("at", in: keys))
    position = try Pipeline.PositionFields(setting.required("position", in: keys))
    if let expiry = keys["expires_after"] {
      expiresAfter = (try? expiry.text()) == "never" ? nil : try expiry.duration()
    }
    for (name, setting) in try keys["attributes"]?.namedSettings() ?? [] {
      var attribute = try Pipeline.Attribute(name, setting)
      attribute.isOfCheckIn = true
      guard !attribute.hasDateRule else {
        let rule = attribute.notBefore == nil ? "not_in_future" : "not_before"
        throw setting.mistake(
          "\(setting.label) has '\(rule)', but only attributes of entities can have this rule",
          advice: "Remove '\(rule)'.")
      }
      attributes.append(attribute)
    }
    if let expect = keys["expect"] {
      expectations = try Pipeline.Expectations(expect, .events(name))
    }
  }
}

extension Pipeline {
  /// Reads the check-ins `name`, and assigns them to the entity of the people or things that check in.
  mutating func addCheckIns(_ name: String, _ setting: Setting) throws(PipelineFileError) {
    try checkIsNew(name, setting)
    let checkIns = try CheckIns(name, setting, entities)
    try checkStandardInput(checkIns.source, setting)
    guard let index = entities.firstIndex(where: { $0.name == checkIns.user.entity }) else {
      preconditionFailure("the entity name was checked before")
    }
    let entity = entities[index]
    let place = setting.value(of: "user") ?? setting
    if let other = entity.checkIns {
      throw place.mistake(
        "the position of '\(entity.name)' already comes from '\(other.name)'",
        advice:
          "An entity can have only one kind of check-in. Combine the files of '\(name)' and '\(other.name)' in one source."
      )
    }
    guard entity.position == nil else {
      throw place.mistake(
        "the position of '\(entity.name)' comes from check-ins, but the rows of '\(entity.name)' have a 'position' too",
        advice: "Remove 'entities.\(entity.name).position', or the check-ins.")
    }
    for attribute in checkIns.attributes where entity.attribute(attribute.name) != nil {
      throw (setting.value(of: "attributes")?.value(of: attribute.name) ?? setting).mistake(
        "'\(entity.name)' already has an attribute '\(attribute.name)'",
        advice: "Rename one of the two, and set its 'from' to the name of the field.")
    }
    entities[index].checkIns = checkIns
    entities[index].attributes = (entity.attributes + checkIns.attributes).sorted { $0.name < $1.name }
  }

  /// Rejects `name` if another source already has it.
  func checkIsNew(_ name: String, _ setting: Setting) throws(PipelineFileError) {
    var what: String?
    if entity(name) != nil { what = "an entity" }
    if checkIns.contains(where: { $0.name == name }) { what = "a kind of check-in" }
    if interaction(name) != nil { what = "a kind of interaction" }
    guard let what else { return }
    throw setting.mistake(
      "'\(name)' is already the name of \(what), but names must differ", advice: "Rename one of the two.")
  }
}
