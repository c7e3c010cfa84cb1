// Canonical names and their synonyms: `names: { Cork: [Corcaigh, "Co. Cork"], Kerry: Ciarraí }`.

extension Pipeline {
  /// The maximum number of bytes in a word of a category or of tags.
  package static let mostBytesOfWord = 256

  /// The words that a category may have: canonical names, each with its synonyms. Rows with other words are
  /// rejected.
  package struct CanonicalNames: Hashable, Sendable {
    /// The canonical names. The keys are case-folded words, and canonical names in their exact spelling.
    private var names: [String: String] = [:]

    /// Returns the canonical name for `word`, ignoring case, or `nil` if `word` is unknown.
    package func name(of word: String) -> String? {
      // Most words are spelled as in the pipeline file, so the exact spelling is tried first.
      if let name = names[word], name == word { return name }
      return names[word.caseFolded]
    }

    /// The canonical names, sorted.
    var all: [String] { Set(names.values).sorted() }

    /// Adds `word` as a spelling of `name`, unless `word` already belongs to another name.
    ///
    /// - Returns: The other name; `nil` if `word` belongs to no other name.
    fileprivate mutating func insert(_ word: String, for name: String) -> String? {
      if let other = names[word.caseFolded] { return other == name ? nil : other }
      names[word.caseFolded] = name
      // The exact spelling of a canonical name is added, so that a lookup finds it without case folding.
      if word == name { names[word] = name }
      return nil
    }
  }
}

extension Pipeline.CanonicalNames {
  /// Reads a list of canonical names, or a mapping from each canonical name to a synonym, a list of synonyms
  /// or null.
  init(_ setting: Setting) throws(PipelineFileError) {
    if setting.isSequence {
      for element in try setting.elements() { try add([element.text()], at: element) }
    } else {
      // All canonical names are added first. If a synonym is also a canonical name, the error then refers to
      // the place of the synonym.
      for (name, value, _) in try setting.pairs() { try add([name], at: value) }
      for (name, value, _) in try setting.pairs() where !value.isNull {
        var words = [name]
        for word in value.isSequence ? try value.elements() : [value] { words.append(try word.text()) }
        try add(words, at: value)
      }
    }
    guard !names.isEmpty else {
      throw setting.mistake("\(setting.label) contains no name", advice: "Add a name, or remove 'names'.")
    }
  }

  /// Adds `words`. The first word is the canonical name, and the others are its synonyms.
  private mutating func add(_ words: [String], at setting: Setting) throws(PipelineFileError) {
    // Synonyms occur only in exports, so their length is not limited.
    let name = words[0]
    guard name.utf8.count <= Pipeline.mostBytesOfWord else {
      throw setting.mistake(
        "a name in \(setting.label) has \(name.utf8.count) bytes, but must have at most \(Pipeline.mostBytesOfWord)",
        advice: "Shorten the name, and add the long spelling as a synonym.")
    }
    guard !name.utf8.contains(0) else {
      throw setting.mistake(
        "a name in \(setting.label) contains the character U+0000", advice: "Remove the character.")
    }
    for word in words {
      guard !word.isEmpty else {
        throw setting.mistake("a name in \(setting.label) is empty", advice: "Remove the empty name.")
      }
      if let other = insert(word, for: words[0]) {
        throw setting.mistake(
          "in \(setting.label), '\(word)' belongs to both '\(words[0])' and '\(other)'; case makes no difference",
          advice: "Remove this spelling from one of the two names.")
      }
    }
  }
}
