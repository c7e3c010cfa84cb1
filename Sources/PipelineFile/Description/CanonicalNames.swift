// Words for one thing: `names: { Cork: [Corcaigh, "Co. Cork"], Kerry: Ciarraí }`.

extension Pipeline {
  /// The names that a category may have, each with other words for it; there is no other value.
  package struct CanonicalNames: Hashable, Sendable {
    /// By word without its case, the canonical ones among them.
    private var names: [String: String] = [:]

    /// The canonical name for `word`, ignoring case; `nil` if no name has it.
    package func name(of word: String) -> String? {
      // Most words already have the spelling of the file.
      if let name = names[word], name == word { return name }
      return names[word.caseFolded]
    }

    /// The canonical names, in order.
    var all: [String] { Set(names.values).sorted() }

    /// - Returns: The other name that already has `word`, if there is one.
    fileprivate mutating func insert(_ word: String, for name: String) -> String? {
      if let other = names[word.caseFolded] { return other == name ? nil : other }
      names[word.caseFolded] = name
      // So that a canonical name is found as it is.
      if word == name { names[word] = name }
      return nil
    }
  }
}

extension Pipeline.CanonicalNames {
  /// A mapping of canonical names to a word, a list of words, or nothing; or a list of names.
  init(_ setting: Setting) throws(PipelineFileError) {
    if setting.isSequence {
      for element in try setting.elements() { try add([element.text()], at: element) }
    } else {
      // Names first: a word for another name would take their place.
      for (name, value, _) in try setting.pairs() { try add([name], at: value) }
      for (name, value, _) in try setting.pairs() where !value.isNull {
        var words = [name]
        for word in value.isSequence ? try value.elements() : [value] { words.append(try word.text()) }
        try add(words, at: value)
      }
    }
    guard !names.isEmpty else { throw setting.mistake("\(setting.label) has no name") }
  }

  /// Takes the first of `words` for the canonical name of all.
  private mutating func add(_ words: [String], at setting: Setting) throws(PipelineFileError) {
    for word in words {
      guard !word.isEmpty else { throw setting.mistake("a name of \(setting.label) is empty") }
      if let other = insert(word, for: words[0]) {
        throw setting.mistake(
          "'\(word)' means '\(words[0])', and '\(other)' already: case makes no difference",
          advice: "Remove one of the two.")
      }
    }
  }
}
