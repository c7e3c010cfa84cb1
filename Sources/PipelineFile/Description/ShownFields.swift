internal import RunSchemas

// What recommendations carry of their candidates: `show: [name, picture, position]`.

extension Pipeline {
  /// One thing that a recommendation carries of its candidate.
  package enum ShownField: Hashable, Sendable {
    case attribute(String)
    /// The snapped position.
    case position
    /// The id of the candidate's owner.
    case owner
    /// The age in whole years, at the as-of time, by the date of this name.
    case age(String)

    /// Its key under `shown`.
    package var name: String {
      switch self {
      case .attribute(let name): name
      case .position: "position"
      case .owner: "owner"
      case .age: "age"
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
      let field =
        try element.isMapping ? element.age(of: entity) : element.shownField(of: entity, among: valid)
      guard !fields.contains(where: { $0.name == field.name }) else {
        throw element.mistake("'\(field.name)' occurs twice")
      }
      fields.append(field)
    }
    return fields
  }

  private func shownField(
    of entity: Pipeline.Entity, among valid: [Pipeline.ShownField]
  ) throws(PipelineFileError) -> Pipeline.ShownField {
    let name = try text()
    guard let field = valid.first(where: { $0.name == name }) else {
      throw unknown(name, among: valid.map(\.name), called: "attribute of '\(entity.name)'")
    }
    return field
  }

  /// `{ age: DATE }`.
  private func age(of entity: Pipeline.Entity) throws(PipelineFileError) -> Pipeline.ShownField {
    let date = try required("age", in: mapping(keys: ["age"]))
    let name = try date.text()
    let dates = entity.attributes.filter { $0.type == .date }.map(\.name)
    guard dates.contains(name) else {
      throw date.unknown(name, among: dates, called: "date of '\(entity.name)'")
    }
    return .age(name)
  }
}
