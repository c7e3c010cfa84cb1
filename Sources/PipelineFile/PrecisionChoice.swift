internal import Tables

// How precisely somebody is located, by their own word:
// `snap_positions_to: { from: location_privacy, at_most: 7, words: { street: 7, town: 5 } }`.

extension Pipeline {
  /// A category whose words stand for geohash precisions, none of them finer than `snapPrecision`.
  package struct PrecisionChoice: Hashable, Sendable {
    package var attribute: String
    package var words: [String: Int]

    /// That of whoever says nothing, or something that stands for none.
    package var coarsest: Int { words.values.min() ?? 1 }

    package func precision(of word: [UInt8]?) -> Int {
      guard let word else { return coarsest }
      // By bytes: a String as key would take two spellings for one.
      return words.first { $0.key.utf8.elementsEqual(word) }?.value ?? coarsest
    }
  }

  /// Whether those of `entity` may choose.
  package func choosesPrecision(_ entity: Entity) -> Bool {
    guard let choice = privacy.choice, entity.position != nil else { return false }
    return entity.attribute(choice.attribute).map { $0.type == .category && !$0.isOfCheckIn } ?? false
  }

  /// The coarsest precision to which positions of one of `entities` may be snapped.
  func coarsestPrecision(of entities: [String]) -> Int {
    let mayChoose = entities.contains { self.entity($0).map(choosesPrecision) ?? false }
    return mayChoose ? privacy.choice?.coarsest ?? privacy.snapPrecision : privacy.snapPrecision
  }

  /// Refuses a choice that nobody has.
  func checkPrecisionChoice(_ setting: Setting?) throws(PipelineFileError) {
    guard let choice = privacy.choice, let from = setting?.value(of: "snap_positions_to")?.value(of: "from")
    else { return }
    guard entities.contains(where: choosesPrecision) else {
      throw from.mistake(
        "no entity with a 'position' of its own has a category '\(choice.attribute)', by which positions are snapped",
        advice: "Add the attribute, or name another.")
    }
    for entity in entities where entity.checkIns != nil && entity.attribute(choice.attribute) != nil {
      throw from.mistake(
        "positions of '\(entity.name)' come from check-ins, which are not snapped by '\(choice.attribute)'")
    }
  }
}

extension Pipeline.Privacy {
  /// `{ from: ATTRIBUTE, at_most: PRECISION, words: { WORD: PRECISION } }`.
  mutating func readChoice(_ setting: Setting) throws(PipelineFileError) {
    let keys = try setting.mapping(keys: ["from", "at_most", "words"])
    snapPrecision = try setting.required("at_most", in: keys).integer(1...12)
    let mapping = try setting.required("words", in: keys)
    var words: [String: Int] = [:]
    for (word, precision, _) in try mapping.pairs() { words[word] = try precision.integer(1...snapPrecision) }
    guard !words.isEmpty else { throw mapping.mistake("\(mapping.label) names no word") }
    choice = Pipeline.PrecisionChoice(
      attribute: try setting.required("from", in: keys).text(), words: words)
  }
}
