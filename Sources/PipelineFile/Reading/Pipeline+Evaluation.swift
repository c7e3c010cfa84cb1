internal import Readers
internal import RunSchemas
internal import Text

// Reads `evaluation`.

extension Pipeline.Evaluation {
  init(_ setting: Setting, _ pipeline: Pipeline) throws(PipelineFileError) {
    self.init()
    let keys = try setting.mapping(keys: [
      "cut", "leave_last", "within", "at", "slices", "later_profiles", "samples", "model",
    ]).filter { !$0.value.isNull }
    if let setting = keys["cut"] { cut = try setting.cut() }
    if let setting = keys["leave_last"] {
      guard keys["cut"] == nil, keys["within"] == nil else {
        throw setting.mistake(
          "'leave_last' sets a cut for each user, so 'cut' and 'within' have no effect",
          advice: "Remove 'cut' and 'within', or set them to null, as in --set evaluation.cut=null.")
      }
      cut = .leaveLast(try setting.integer(1...1000))
    }
    if let setting = keys["model"] {
      let name = try setting.text()
      guard pipeline.namedModels.contains(where: { $0.name == name }) else {
        throw setting.unknown(name, among: pipeline.namedModels.compactMap(\.name), called: "model")
      }
      model = name
    }
    // The evaluated model determines which entities have the categories of `within` and `slices`.
    var pipeline = pipeline
    pipeline.evaluation = self
    within = try keys["within"]?.categories(pipeline, ofCandidates: false) ?? []
    if let setting = keys["slices"] { slices = try setting.categories(pipeline, ofCandidates: true) }
    if let setting = keys["at"] {
      at = []
      for element in try setting.elements() {
        let length = try element.integer(1...1000)
        guard !at.contains(length) else {
          throw element.mistake(
            "the length \(length) occurs twice in \(setting.label)", advice: "Remove one of them.")
        }
        at.append(length)
      }
      guard !at.isEmpty else {
        throw setting.mistake(
          "'\(setting.path)' contains no length", advice: "Write lengths such as [1, 3, 10].")
      }
      at.sort()
    }
    if let setting = keys["later_profiles"] {
      laterProfiles = try setting.choice(Pipeline.LaterProfiles.self)
    }
    if let setting = keys["samples"] { samples = try setting.integer(100...10_000) }
  }
}

extension Setting {
  /// Reads a share such as `0.8`, or a date or time such as `2026-11-01`.
  fileprivate func cut() throws(PipelineFileError) -> Pipeline.Cut {
    if let share = try? number() {
      guard share > 0, share < 1 else {
        throw mistake("\(label) is \(share), but must be above 0 and below 1, or a date such as 2026-11-01")
      }
      return .share(share)
    }
    let text = try text()
    guard text.utf8.count >= 10, let moment = parseInstant(Array(text.utf8).span) else {
      throw mistake(
        "\(label) is '\(text)', but must be a share of the interactions, such as 0.8, or a date, such as 2026-11-01"
      )
    }
    return .moment(Instant(milliseconds: moment))
  }

  /// Reads one category, or a list of categories, of the users whose interactions are evaluated. With
  /// `ofCandidates`, the categories of the candidates are valid, too.
  fileprivate func categories(
    _ pipeline: Pipeline, ofCandidates: Bool
  ) throws(PipelineFileError) -> [String] {
    guard let kind = pipeline.evaluatedInteraction, let users = pipeline.entity(kind.user.entity) else {
      let owners = ofCandidates ? "users or candidates" : "users"
      throw mistake(
        "'\(path)' names categories of the \(owners), so it needs a model or exactly one kind of "
          + "interaction",
        advice: "Add one of them, or remove '\(path)'.")
    }
    let candidates = ofCandidates ? pipeline.entity(kind.candidate.entity) : nil
    let entities = [users] + [candidates].compactMap { $0 }.filter { $0.name != users.name }
    let valid = entities.flatMap(\.attributes).filter { $0.type == .category }.map(\.name)
    var names: [String] = []
    for element in isSequence ? try elements() : [self] {
      let name = try element.text()
      guard valid.contains(name) else {
        throw element.unknown(
          name, among: valid, called: "category attribute", of: entities.count == 1 ? users.name : nil)
      }
      guard !names.contains(name) else {
        throw element.mistake("'\(name)' occurs twice in \(label)", advice: "Remove one of them.")
      }
      names.append(name)
    }
    return names
  }
}

extension Pipeline {
  /// The kind of interaction that an evaluation divides into learning and test rows. It is the kind from
  /// which the evaluated model learns. Without a model, it is the only kind of interaction, or `nil` if the
  /// pipeline file has several kinds or none.
  package var evaluatedInteraction: Interaction? {
    if let model = evaluatedModel { return interaction(model.learnsFrom) }
    return interactions.count == 1 ? interactions[0] : nil
  }
}
