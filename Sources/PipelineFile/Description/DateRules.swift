internal import RunSchemas

// Rules for dates: `born: { type: date, not_in_future: true }`, `starts: { type: date, not_before: created
// }`.

extension Pipeline.Attribute {
  mutating func readDateRules(_ keys: [String: Setting]) throws(PipelineFileError) {
    for key in ["not_before", "not_in_future"] {
      if let setting = keys[key], type != .date {
        throw setting.mistake(
          "'\(setting.path)' is only for dates, but the type of '\(name)' is \(type)",
          advice: "Remove this key.")
      }
    }
    notBefore = try keys["not_before"]?.text()
    isNotInFuture = try keys["not_in_future"]?.boolean() ?? false
  }

  /// Whether the attribute has a rule that a date can violate.
  package var hasDateRule: Bool { notBefore != nil || isNotInFuture }
}

extension Pipeline.Entity {
  /// The name that `not_before` uses for the creation time.
  package static let createdName = "created"

  /// Rejects each `not_before` that refers neither to another date attribute nor to the creation time.
  /// `settings` are the settings of the attributes.
  func checkDateRules(_ settings: Setting) throws(PipelineFileError) {
    for attribute in attributes {
      guard let other = attribute.notBefore else { continue }
      let dates = attributes.filter { $0.type == .date && $0.name != attribute.name }.map(\.name)
      let valid = (created == nil ? [] : [Self.createdName]) + dates
      guard valid.contains(other) else {
        let setting = settings.value(of: attribute.name)?.value(of: "not_before") ?? settings
        throw setting.unknown(other, among: valid, called: "date attribute", of: name)
      }
    }
  }
}

extension Pipeline.Entity {
  /// Whether an attribute has the rule `not_before`, which compares two dates.
  package var hasDateOrder: Bool { attributes.contains { $0.notBefore != nil } }
}
