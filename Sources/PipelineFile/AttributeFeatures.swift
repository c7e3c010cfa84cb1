internal import RunSchemas

// Features that are made of attributes.

extension FeatureSettings {
  /// `ATTRIBUTE` or `{ from: ATTRIBUTE, bins: 5 }`, with a number of bins or the edges between them.
  func number(_ setting: Setting) throws(PipelineFileError) -> Pipeline.Feature {
    guard setting.isMapping else { return try plainNumber(setting) }
    let keys = try setting.mapping(keys: ["from", "bins"])
    guard keys["bins"] != nil else { return try plainNumber(setting.required("from", in: keys)) }
    let name = try attribute(setting.required("from", in: keys), of: candidates, [.number])
    guard let bins = keys["bins"] else { return .number(name) }
    guard bins.isSequence else { return .bins(name, .count(try bins.integer(2...100))) }
    var edges: [Double] = []
    for element in try bins.elements() {
      let edge = try element.number()
      if let last = edges.last, edge <= last {
        throw element.mistake("\(element.label) is \(edge), and must be above the edge before it, \(last)")
      }
      edges.append(edge)
    }
    guard (1...100).contains(edges.count) else {
      throw bins.mistake("\(bins.label) must have 1 to 100 edges, not \(edges.count)")
    }
    return .bins(name, .edges(edges))
  }

  /// A number of the candidates, computed ones included: a learning row sees those without what its own user did. Of their
  /// bins, and of differences, nobody could say so.
  private func plainNumber(_ setting: Setting) throws(PipelineFileError) -> Pipeline.Feature {
    let name = try setting.text()
    if candidates.computedAttribute(name) != nil { return .number(name) }
    return .number(try attribute(setting, of: candidates, [.number]))
  }

  /// `ATTRIBUTE` or `{ user: ATTRIBUTE, candidate: ATTRIBUTE, signed: true }`
  func difference(_ setting: Setting) throws(PipelineFileError) -> Pipeline.Feature {
    let pair = try pair(setting, [.number, .date], besides: ["signed"])
    let isSigned = try setting.isMapping ? setting.value(of: "signed")?.boolean() : nil
    return .difference(pair, isSigned: isSigned ?? false)
  }

  /// `ATTRIBUTE` or `{ from: ATTRIBUTE, dimensions: 64 }`
  func text(_ setting: Setting) throws(PipelineFileError) -> Pipeline.Feature {
    guard setting.isMapping else {
      return .text(try attribute(setting, of: candidates, [.text]), dimensions: Self.mostDimensions)
    }
    let keys = try setting.mapping(keys: ["from", "dimensions"])
    let name = try attribute(setting.required("from", in: keys), of: candidates, [.text])
    let dimensions = try keys["dimensions"]?.integer(2...Self.mostDimensions)
    return .text(name, dimensions: dimensions ?? Self.mostDimensions)
  }

  /// The search's bound on a text's contribution is loose, and looser with every dimension.
  private static let mostDimensions = 64

  /// `ATTRIBUTE` of both, or `{ user: ATTRIBUTE, candidate: ATTRIBUTE }`; the same one of `types`.
  func pair(_ setting: Setting, _ types: [AttributeType], besides others: [String] = [])
    throws(PipelineFileError) -> Pipeline.AttributePair
  {
    guard setting.isMapping else {
      let name = try attribute(setting, of: users, types)
      return Pipeline.AttributePair(user: name, candidate: try attribute(setting, likeUsers: name))
    }
    let keys = try setting.mapping(keys: ["user", "candidate"] + others)
    let user = try attribute(setting.required("user", in: keys), of: users, types)
    let candidate = try attribute(setting.required("candidate", in: keys), likeUsers: user)
    return Pipeline.AttributePair(user: user, candidate: candidate)
  }

  /// The name of a candidates' attribute of the type that the users' attribute `user` has.
  private func attribute(_ setting: Setting, likeUsers user: String) throws(PipelineFileError) -> String {
    try attribute(setting, of: candidates, users.attribute(user).map { [$0.type] } ?? [])
  }

  /// The name of an attribute of `entity` that has one of the `types`.
  func attribute(_ setting: Setting, of entity: Pipeline.Entity, _ types: [AttributeType])
    throws(PipelineFileError) -> String
  {
    let name = try setting.text()
    let fitting = entity.attributes.filter { types.contains($0.type) }.map(\.name)
    guard fitting.contains(name) else {
      let kind = types.map(\.rawValue).joined(separator: " or ")
      throw setting.unknown(name, among: fitting, called: "\(kind) attribute of '\(entity.name)'")
    }
    return name
  }
}
