// The features from which a model learns. Each feature describes a candidate from the point of view of a
// user.

extension Pipeline {
  /// One entry of `model.features`, of any kind.
  package struct Feature: Hashable, Sendable {
    package let kind: any ListedFeature

    package init(_ kind: any ListedFeature) { self.kind = kind }

    package var names: [String] { kind.names }

    package static func == (left: Feature, right: Feature) -> Bool {
      left.kind.equals(right.kind)
    }

    package func hash(into hasher: inout Hasher) { kind.hash(into: &hasher) }
  }
}

extension Pipeline.Feature {
  /// Reads the list `setting`, which must have at least one entry and no duplicates.
  static func list(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) -> [Self] {
    var features: [Self] = []
    for element in try setting.elements() {
      let feature = try Self(element, settings)
      guard !features.contains(feature) else {
        throw element.mistake(
          "\(element.label) repeats an earlier feature", advice: "Remove one of the two.")
      }
      for stem in feature.kind.columnStems
      where features.contains(where: { $0.kind.columnStems.contains(stem) }) {
        throw element.mistake(
          "the columns of \(element.label) would have the name '\(stem)', which columns of another feature already have",
          advice: "Remove one of the two features, or rename its attribute.")
      }
      features.append(feature)
    }
    guard !features.isEmpty else {
      throw setting.mistake("'\(setting.path)' names no feature", advice: "Add at least one feature.")
    }
    return features
  }

  /// The kinds that are written as a key with a value.
  private static let keys = FeatureKey.allCases.filter { $0.form.value != nil }.map(\.rawValue)
  /// The kinds that are written as a single word.
  private static let words = FeatureKey.allCases.filter { $0.form.word != nil }.map(\.rawValue)

  private init(_ setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) {
    guard setting.isMapping else {
      try self.init(word: setting, settings)
      return
    }
    let keys = try setting.mapping(keys: Self.keys)
    guard let (key, value) = keys.first, keys.count == 1,
      let read = FeatureKey(rawValue: key)?.form.value
    else {
      throw setting.mistake(
        "\(setting.label) has \(keys.count) keys, but a feature must have exactly one of these keys: \(Self.keys.joined(separator: ", "))"
      )
    }
    self.init(try read(value, settings))
  }

  private init(word setting: Setting, _ settings: FeatureSettings) throws(PipelineFileError) {
    let word = try setting.text()
    if let read = FeatureKey(rawValue: word)?.form.word {
      self.init(try read(setting, settings))
      return
    }
    guard !Self.keys.contains(word) else {
      throw setting.mistake(
        "the feature '\(word)' needs a value",
        advice: "Write '\(word): ...', as docs/reference/pipeline-file/features.md describes.")
    }
    let others = Self.keys.filter { !Self.words.contains($0) }
    throw setting.unknown(word, among: Self.words + others, called: "feature")
  }
}
