// What recommendations carry of their candidates: `show: [name, picture, position]`.

extension Pipeline {
  /// One thing that a recommendation carries of its candidate.
  package enum ShownField: Hashable, Sendable {
    case attribute(String)
    /// The snapped position.
    case position
    /// The id of whoever the candidate belongs to.
    case owner

    /// Its key under `shown`.
    package var name: String {
      switch self {
      case .attribute(let name): name
      case .position: "position"
      case .owner: "owner"
      }
    }
  }

  /// How published distances are rounded to 0.1 km. What is decided by distances is decided in full precision before.
  package enum DistanceRounding: String, CaseIterable, Sendable {
    case nearest
    /// To the next tenth that is not less.
    case up
  }
}

extension Setting {
  /// The names of attributes of `entity`, and of what else is known of it; an attribute goes before those.
  func shownFields(of entity: Pipeline.Entity) throws(PipelineFileError) -> [Pipeline.ShownField] {
    var valid = entity.shownNames.map { Pipeline.ShownField.attribute($0) }
    if entity.hasPosition, !entity.shownNames.contains("position") { valid.append(.position) }
    if entity.owner != nil, !entity.shownNames.contains("owner") { valid.append(.owner) }
    var fields: [Pipeline.ShownField] = []
    for element in try elements() {
      let name = try element.text()
      guard let field = valid.first(where: { $0.name == name }) else {
        throw element.unknown(name, among: valid.map(\.name), called: "attribute of '\(entity.name)'")
      }
      guard !fields.contains(field) else { throw element.mistake("'\(name)' stands twice") }
      fields.append(field)
    }
    return fields
  }
}
