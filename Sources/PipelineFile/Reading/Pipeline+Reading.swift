internal import Files
internal import Foundation
internal import Readers
internal import Text
internal import Yams

extension Pipeline {
  /// Reads and checks the pipeline file at `path`.
  ///
  /// - Parameters:
  ///   - path: A YAML file of at most 1 MiB.
  ///   - overrides: The values of `--set`, applied in order before the check.
  /// - Throws: `FileError` if the file cannot be read; `PipelineFileError` for the first mistake in it or in
  ///   an override.
  package init(file path: String, overrides: [Override] = []) throws {
    let bytes = try Self.opened(path)
    guard bytes.count <= 1 << 20 else {
      throw PipelineFileError(
        place: path,
        reason: "it has \(bytes.count.grouped) bytes, but a pipeline file may have at most 1 048 576",
        advice: "Check the path of the pipeline file.")
    }
    let text = try bytes.bytes.withUTF8(path)
    try self.init(yaml: text, file: path, overrides: overrides)
  }

  private static func opened(_ path: String) throws(FileError) -> MappedFile {
    do throws(FileError) {
      return try MappedFile(path)
    } catch  where error.operation == .find {
      throw FileError(.find, path, reason: error.reason, advice: "Check the path of the pipeline file.")
    }
  }

  /// Checks the pipeline file with the content `yaml`. `file` is its name in messages.
  package init(yaml: String, file: String, overrides: [Override] = []) throws(PipelineFileError) {
    let composed: Node?
    do {
      // Some editors on Windows write a byte order mark at the start of a file.
      let text = yaml.unicodeScalars.first == "\u{FEFF}" ? String(yaml.unicodeScalars.dropFirst()) : yaml
      // `Setting` converts scalars itself, because the conversion rules of Yams are regular expressions and
      // take longer than the parsing.
      composed = try Yams.compose(yaml: text, .basic)
    } catch let error as YamlError {
      throw PipelineFileError(place: file, error)
    } catch {
      throw PipelineFileError(place: file, reason: "it is not YAML (\(error))", advice: "Correct the syntax.")
    }
    // An empty file is an error. A new, empty mapping in its place would have no mark, so every mistake would
    // be reported as a mistake in a `--set`.
    guard var root = composed else {
      throw PipelineFileError(
        place: file, reason: "it is empty", advice: "Write a pipeline into it, or name another file.")
    }
    for override in overrides { root = try override.applied(to: root) }
    try self.init(Setting(node: root, path: "", file: file))
    configuration = JSONValue(root)
    self.overrides = overrides.map(\.argument)
    self.file = file
    directory = Directories.parent(of: file)
  }

  private init(_ root: Setting) throws(PipelineFileError) {
    let keys = try root.mapping(keys: [
      "pipeline", "seed", "as_of", "later_limit", "plausible", "privacy", "reject_limit", "dangling_limit",
      "dangling_rise", "keep_runs", "entities", "check_ins", "interactions", "requests", "computed", "model",
      "models", "rankings", "evaluation", "publish", "report",
    ])
    name = try root.required("pipeline", in: keys).name()
    try readGeneralSettings(keys)
    let entitySettings = try root.required("entities", in: keys).namedSettings()
    for (name, setting) in entitySettings {
      let entity = try Entity(name, setting)
      try checkStandardInput(entity.source, setting)
      entities.append(entity)
    }
    guard !entities.isEmpty else {
      throw root.mistake("'entities' names no entity", advice: "Describe at least one entity.")
    }
    for (name, setting) in try keys["check_ins"]?.namedSettings() ?? [] { try addCheckIns(name, setting) }
    // Owners and expectations are read after all entities and check-ins, because an owner is an entity, and
    // an expectation may refer to an attribute of check-ins.
    try readOwners(entitySettings)
    try checkPrecisionChoice(keys["privacy"])
    for (index, named) in entitySettings.enumerated() {
      guard let expect = named.value.value(of: "expect") else { continue }
      entities[index].expectations = try Expectations(expect, .entity(entities[index]))
    }
    try readInteractions(keys)
    spreadPlausibleTimes()
    if let setting = keys["computed"] { try readComputed(setting) }
    if let setting = keys["model"] { model = try Model(setting, self) }
    if let models = keys["models"], !models.isNull {
      for (name, setting) in try models.namedSettings() {
        var model = try Model(setting, self)
        model.name = name
        namedModels.append(model)
      }
    }
    for (name, setting) in try keys["rankings"]?.namedSettings() ?? [] { try addRanking(name, setting) }
    if let setting = keys["evaluation"] { evaluation = try Evaluation(setting, self) }
    if let setting = keys["publish"] { publication = try Publication(setting, self) }
  }

  /// Reads the settings that apply to the whole run.
  private mutating func readGeneralSettings(_ keys: [String: Setting]) throws(PipelineFileError) {
    if let seed = keys["seed"] { self.seed = UInt64(try seed.integer(0...Int.max)) }
    if let limit = keys["reject_limit"] { rejectLimit = try limit.share() }
    if let limit = keys["dangling_limit"] { danglingLimit = try limit.share() }
    if let rise = keys["dangling_rise"] { danglingRise = try rise.share() }
    if let asOf = keys["as_of"] { self.asOf = try asOf.asOf() }
    if let limit = keys["later_limit"] { laterLimit = try limit.share() }
    if let times = keys["plausible"] { plausible = try times.plausibleTimes() }
    if let keep = keys["keep_runs"] { keepRuns = try keep.integer(1...10_000) }
    if let setting = keys["report"] { report = try ReportFiles(setting) }
    if let setting = keys["privacy"] { privacy = try Privacy(setting) }
  }

  /// Reads the interactions and the requests. The entities and check-ins must have been read before.
  private mutating func readInteractions(_ keys: [String: Setting]) throws(PipelineFileError) {
    for (name, setting) in try keys["interactions"]?.namedSettings() ?? [] {
      try checkIsNew(name, setting)
      let interaction = try Interaction(name, setting, entities)
      try checkStandardInput(interaction.source, setting)
      interactions.append(interaction)
    }
    for (name, setting) in try keys["requests"]?.namedSettings() ?? [] {
      try checkIsNew(name, setting)
      let kind = try Requests(name, setting, entities)
      try checkStandardInput(kind.source, setting)
      requests.append(kind)
    }
  }

  /// Adds the matches, the catalog or the ranking that `setting` describes.
  private mutating func addRanking(_ name: String, _ setting: Setting) throws(PipelineFileError) {
    guard !["manifest", "funnel", "_SUCCESS"].contains(name) else {
      throw setting.mistake(
        "'\(name)' is reserved for a file of the rankings", advice: "Rename the ranking.")
    }
    if setting.value(of: "mutual") != nil || setting.value(of: "friends") != nil {
      matches.append(try MatchList(name, setting, self))
    } else if setting.value(of: "catalog") != nil || setting.value(of: Catalog.earlierKey) != nil {
      catalogs.append(try Catalog(name, setting, self))
    } else {
      rankings.append(try Ranking(name, setting, self))
    }
  }
}

extension Setting {
  func required(_ key: String, in keys: [String: Setting]) throws(PipelineFileError) -> Setting {
    if let setting = keys[key], !setting.isNull { return setting }
    throw mistake("\(label) needs '\(key)'")
  }

  /// Reads a share such as `0.01` or `1 %`, from 0 to `most`.
  func share(atMost most: Int = 1) throws(PipelineFileError) -> Double {
    if let text = node.scalar?.string, text.hasSuffix("%") {
      let digits = text.dropLast().trimmingSuffix { $0 == " " }
      // The digits are parsed with an exponent, because 0.7 / 100 is less than 0.007.
      if let percent = Double(digits), (0...Double(most) * 100).contains(percent) {
        return Double(digits + "e-2") ?? percent / 100
      }
    } else if let value = try? number(), (0...Double(most)).contains(value) {
      return value
    }
    throw mistake("'\(path)' must be a share from 0 to \(most), such as 0.01 or 1 %, not \(kind)")
  }
}

extension Substring {
  fileprivate func trimmingSuffix(while predicate: (Character) -> Bool) -> Substring {
    var rest = self
    while let last = rest.last, predicate(last) { rest.removeLast() }
    return rest
  }
}

extension RawSpan {
  /// Returns the bytes as text. Throws an error about the file `path` if they are not UTF-8.
  fileprivate func withUTF8(_ path: String) throws(PipelineFileError) -> String {
    let bytes = unsafe withUnsafeBytes { unsafe Array($0) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw PipelineFileError(place: path, reason: "it is not UTF-8", advice: "Save it as UTF-8.")
    }
    return text
  }
}

extension PipelineFileError {
  fileprivate init(place file: String, _ error: YamlError) {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      self.init(
        place: "\(file):\(mark.line):\(mark.column)", reason: "it is not YAML: \(problem)",
        advice: "Correct the syntax.")
    case .duplicatedKeysInMapping(let duplicates, let context):
      let keys = "'\(duplicates.sorted().joined(separator: "', '"))'"
      self.init(
        place: "\(file):\(context.mark.line):\(context.mark.column)",
        reason: duplicates.count == 1
          ? "the key \(keys) occurs more than once" : "these keys occur more than once: \(keys)",
        advice: "Remove the repetitions.")
    default:
      self.init(place: file, reason: "it is not YAML (\(error))", advice: "Correct the syntax.")
    }
  }
}
