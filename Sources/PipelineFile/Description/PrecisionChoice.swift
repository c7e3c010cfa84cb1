internal import RunSchemas

// How precisely an entity is located, by its own choice: by a word,
// `snap_positions_to: { from: location_privacy, at_most: 7, words: { street: 7, town: 5 } }`, or by a number,
// `snap_positions_to: { from: location_privacy, at_most: 7, at_least: 4 }`.

extension Pipeline {
  /// An attribute that holds geohash precisions, none of them finer than `snapPrecision`.
  package struct PrecisionChoice: Hashable, Sendable {
    package var attribute: String
    /// The precisions of a category's words; `nil` if the attribute is the number itself.
    package var words: [String: Int]?
    /// The precision without a choice, or with an unknown one. No choice is coarser.
    package var coarsest: Int
    /// The finest there is.
    package var finest: Int
    /// The precision that radii are checked against. If numbers are unrestricted, a coarsest precision that no entity may have
    /// chosen forbids no radius.
    package var checked: Int

    fileprivate var type: AttributeType { words == nil ? .number : .category }

    package func precision(ofWord word: [UInt8]?) -> Int {
      guard let word, let words else { return coarsest }
      // By bytes: a String as key would take two spellings for one.
      return words.first { $0.key.utf8.elementsEqual(word) }?.value ?? coarsest
    }

    /// What lies between two precisions is the coarser one; NaN says nothing.
    package func precision(ofNumber number: Double) -> Int {
      guard number >= Double(coarsest) else { return coarsest }
      return number >= Double(finest) ? finest : Int(number)
    }
  }

  /// Whether entities of kind `entity` may choose.
  package func choosesPrecision(_ entity: Entity) -> Bool {
    guard let choice = privacy.choice, entity.position != nil else { return false }
    return entity.attribute(choice.attribute).map { $0.type == choice.type && !$0.isOfCheckIn } ?? false
  }

  /// The coarsest precision to which positions of one of `entities` may be snapped, as far as that is known.
  func coarsestPrecision(of entities: [String]) -> Int {
    let mayChoose = entities.contains { self.entity($0).map(choosesPrecision) ?? false }
    return mayChoose ? privacy.choice?.checked ?? privacy.snapPrecision : privacy.snapPrecision
  }

  /// Rejects a choice that no entity has.
  func checkPrecisionChoice(_ setting: Setting?) throws(PipelineFileError) {
    guard let choice = privacy.choice, let from = setting?.value(of: "snap_positions_to")?.value(of: "from")
    else { return }
    guard entities.contains(where: choosesPrecision) else {
      throw from.mistake(
        "no entity with a 'position' of its own has a \(choice.type) '\(choice.attribute)', by which positions are snapped",
        advice: choice.words == nil
          ? "Add the attribute, or name another; for a category, give a precision for each of its 'words'."
          : "Add the attribute, or name another; a number needs no 'words'.")
    }
    for entity in entities where entity.checkIns != nil && entity.attribute(choice.attribute) != nil {
      throw from.mistake(
        "positions of '\(entity.name)' come from check-ins, which are not snapped by '\(choice.attribute)'")
    }
  }
}

extension Pipeline.Privacy {
  /// `{ from: ATTRIBUTE, at_most: PRECISION, words: { WORD: PRECISION } }`, or `{ from: ATTRIBUTE, at_most: PRECISION,
  /// at_least: PRECISION }`.
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
        "'\(setting.path)' is for numbers: for words, the coarsest precision in the list is the least",
        advice: "Remove it.")
    }
    var words: [String: Int] = [:]
    for (word, precision, _) in try mapping.pairs() { words[word] = try precision.integer(1...snapPrecision) }
    guard let coarsest = words.values.min() else {
      throw mapping.mistake("\(mapping.label) names no word")
    }
    choice = Pipeline.PrecisionChoice(
      attribute: attribute, words: words, coarsest: coarsest, finest: snapPrecision, checked: coarsest)
  }
}
