internal import RunSchemas

// Each person or thing can choose the precision of its position.
// With a word: `snap_positions_to: { from: location_privacy, at_most: 7, words: { street: 7, town: 5 } }`.
// With a number: `snap_positions_to: { from: location_privacy, at_most: 7, at_least: 4 }`.

extension Pipeline {
  /// The attribute from which each row's geohash precision comes. No precision exceeds `snapPrecision`.
  package struct PrecisionChoice: Hashable, Sendable {
    package var attribute: String
    /// The precision for each word of a category; `nil` if the attribute is the number itself.
    package var words: [String: Int]?
    /// The coarsest precision. It applies to rows without a choice or with an unknown word.
    package var coarsest: Int
    /// The finest precision.
    package var finest: Int
    /// The precision that determines the minimum radius of a ranking. It is `coarsest`, unless the attribute
    /// is a number without a lower limit in the pipeline file. In that case, `coarsest` is 1, which would
    /// require a radius above the maximum, so this precision is `finest`.
    package var checked: Int

    fileprivate var type: AttributeType { words == nil ? .number : .category }

    package func precision(ofWord word: [UInt8]?) -> Int {
      guard let word, let words else { return coarsest }
      // Words are compared as bytes, because `==` on strings treats two encodings of an accent as equal.
      return words.first { $0.key.utf8.elementsEqual(word) }?.value ?? coarsest
    }

    /// Rounds `number` down to a whole precision from `coarsest` to `finest`. NaN counts as no choice.
    package func precision(ofNumber number: Double) -> Int {
      guard number >= Double(coarsest) else { return coarsest }
      return number >= Double(finest) ? finest : Int(number)
    }
  }

  /// Returns whether rows of `entity` may choose their precision.
  package func choosesPrecision(_ entity: Entity) -> Bool {
    guard let choice = privacy.choice, entity.position != nil else { return false }
    return entity.attribute(choice.attribute).map { $0.type == choice.type && !$0.isOfCheckIn } ?? false
  }

  /// Returns the coarsest precision that positions of `entities` can have, as far as the pipeline file
  /// determines it.
  func coarsestPrecision(of entities: [String]) -> Int {
    let mayChoose = entities.contains { self.entity($0).map(choosesPrecision) ?? false }
    return mayChoose ? privacy.choice?.checked ?? privacy.snapPrecision : privacy.snapPrecision
  }

  /// Rejects a choice by an attribute that no entity with a position has, or that belongs to an entity whose
  /// position comes from check-ins.
  func checkPrecisionChoice(_ setting: Setting?) throws(PipelineFileError) {
    guard let choice = privacy.choice, let from = setting?.value(of: "snap_positions_to")?.value(of: "from")
    else { return }
    guard entities.contains(where: choosesPrecision) else {
      throw from.mistake(
        "'privacy.snap_positions_to.from' names '\(choice.attribute)', but no entity with a 'position' has a \(choice.type) attribute of this name",
        advice: choice.words == nil
          ? "Add the attribute, or name another one. For a category, add 'words' with a precision for each word."
          : "Add the attribute, or name another one. For a number, remove 'words'.")
    }
    for entity in entities where entity.checkIns != nil && entity.attribute(choice.attribute) != nil {
      throw from.mistake(
        "positions of '\(entity.name)' come from check-ins, to which 'privacy.snap_positions_to.from' does not apply",
        advice: "Rename the attribute '\(choice.attribute)' of '\(entity.name)'.")
    }
  }
}

extension Pipeline.Privacy {
  /// Reads `{ from: ATTRIBUTE, at_most: PRECISION, words: { WORD: PRECISION } }` or `{ from: ATTRIBUTE,
  /// at_most: PRECISION, at_least: PRECISION }`.
  mutating func readChoice(_ setting: Setting) throws(PipelineFileError) {
    let keys = try setting.mapping(keys: ["from", "at_most", "at_least", "words"])
    snapPrecision = try setting.required("at_most", in: keys).integer(1...12)
    let attribute = try setting.required("from", in: keys).text()
    let least = try keys["at_least"]?.integer(1...snapPrecision)
    guard let mapping = keys["words"] else {
      choice = Pipeline.PrecisionChoice(
        attribute: attribute, words: nil, coarsest: least ?? 1, finest: snapPrecision,
        checked: least ?? snapPrecision)
      return
    }
    if let setting = keys["at_least"] {
      throw setting.mistake(
        "'\(setting.path)' is only for numbers; for words, the coarsest precision in 'words' is the minimum",
        advice: "Remove this key.")
    }
    var words: [String: Int] = [:]
    for (word, precision, _) in try mapping.pairs() { words[word] = try precision.integer(1...snapPrecision) }
    guard let coarsest = words.values.min() else {
      throw mapping.mistake("\(mapping.label) names no word", advice: "Give at least one word a precision.")
    }
    choice = Pipeline.PrecisionChoice(
      attribute: attribute, words: words, coarsest: coarsest, finest: snapPrecision, checked: coarsest)
  }
}
