/// The type of an entity's attribute.
package enum AttributeType: String, CaseIterable, Sendable {
  case category, number, flag, text
  /// A set of texts.
  case tags
  /// A day, or a point in time.
  case date
  /// A set of time intervals.
  case intervals
}

/// The columns of one entity.
package struct EntitySchema: Hashable, Sendable {
  package var name: String
  package var hasPosition: Bool
  package var hasCreated: Bool
  package var hasUpdated: Bool
  /// The name of the owners' entity; `nil` if rows have no owners.
  package var owner: String?
  /// The type of each attribute, by the attribute's name.
  package var attributes: [String: AttributeType]
  /// The names of numbers that are computed from interactions.
  package var computed: [String]

  package var hasOwner: Bool { owner != nil }

  package init(
    name: String, hasPosition: Bool, hasCreated: Bool = false, hasUpdated: Bool = false,
    owner: String? = nil, attributes: [String: AttributeType], computed: [String] = []
  ) {
    self.name = name
    self.hasPosition = hasPosition
    self.hasCreated = hasCreated
    self.hasUpdated = hasUpdated
    self.owner = owner
    self.attributes = attributes
    self.computed = computed
  }
}
