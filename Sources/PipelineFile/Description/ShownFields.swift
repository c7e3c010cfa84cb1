internal import RunSchemas

// The fields of the candidate that recommendations contain: `show: [name, picture, position]`.

extension Pipeline {
  /// One field of the candidate that a recommendation contains.
  package enum ShownField: Hashable, Sendable {
    case attribute(String)
    /// The snapped position.
    case position
    /// The id of the candidate's owner.
    case owner
    /// The age in whole years at the as-of time, from the date attribute of this name.
    case age(String)

    /// The key of the field under `shown` in a recommendation.
    package var name: String {
      switch self {
      case .attribute(let name): name
      case .position: "position"
      case .owner: "owner"
      case .age: "age"
      }
    }
  }

  /// How published distances are rounded to 0.1 km. Rankings use unrounded distances.
  package enum DistanceRounding: String, CaseIterable, Sendable {
    case nearest
    /// Distances are rounded up to the next tenth.
    case up
  }
}

extension Setting {
  /// Reads names of attributes of `entity`, and `position` or `owner` if the entity has them. An attribute
  /// with one of these two names takes precedence.
  func shownFields(of entity: Pipeline.Entity) throws(PipelineFileError) -> [Pipeline.ShownField] {
    var valid = entity.shownNames.map { Pipeline.ShownField.attribute($0) }
    if entity.hasPosition, !entity.shownNames.contains("position") { valid.append(.position) }
    if entity.owner != nil, !entity.shownNames.contains("owner") { valid.append(.owner) }
    var fields: [Pipeline.ShownField] = []
    for element in try elements() {
      let field =
        try element.isMapping ? element.age(of: entity) : element.shownField(of: entity, among: valid)
      guard !fields.contains(where: { $0.name == field.name }) else {
        throw element.mistake("'\(field.name)' occurs twice in \(label)", advice: "Remove one of them.")
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
      throw unknown(name, among: valid.map(\.name), called: "attribute", of: entity.name)
    }
    return field
  }

  /// Reads `{ age: DATE }`.
  private func age(of entity: Pipeline.Entity) throws(PipelineFileError) -> Pipeline.ShownField {
    let date = try required("age", in: mapping(keys: ["age"]))
    let name = try date.text()
    let dates = entity.attributes.filter { $0.type == .date }.map(\.name)
    guard dates.contains(name) else {
      throw date.unknown(name, among: dates, called: "date attribute", of: entity.name)
    }
    return .age(name)
  }
}
