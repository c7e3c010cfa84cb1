internal import Readers
internal import Yams

/// One value of the pipeline file, with its position for error messages.
struct Setting {
  let node: Node
  /// The dotted path from the root, for messages and `--set`: `rankings.partners.top`.
  let path: String
  let file: String

  /// Returns the error for a mistake in this value, or in the node `other`. `reason` states the rule and the
  /// value that breaks it.
  func mistake(_ reason: String, advice: String = "", at other: Node? = nil) -> PipelineFileError {
    // A value from `--set` has no mark.
    let place = (other ?? node).mark.map { "\(file):\($0.line):\($0.column)" } ?? "--set \(path)"
    return PipelineFileError(place: place, reason: reason, advice: advice)
  }

  var label: String { path.isEmpty ? "the pipeline file" : "'\(path)'" }

  private func child(_ node: Node, _ key: String) -> Setting {
    Setting(node: node, path: path.isEmpty ? key : "\(path).\(key)", file: file)
  }

  // MARK: Mappings and sequences

  /// Returns the values of a mapping, which may have only the keys in `keys`. `renamed` maps keys of earlier
  /// versions to their current names; an earlier key is rejected with a hint.
  ///
  /// `file` and `line` describe the caller for `KeyRecorder`.
  func mapping(
    keys: [String], renamed: [String: String] = [:], file: String = #fileID, line: Int = #line
  ) throws(PipelineFileError) -> [String: Setting] {
    KeyRecorder.current?.note(keys, at: path, by: "\(file):\(line)")
    var settings: [String: Setting] = [:]
    for (key, value, node) in try pairs() {
      let place = path.isEmpty ? "" : " in '\(path)'"
      if let word = renamed[key] {
        throw value.mistake(
          "the key '\(key)'\(place) has been renamed to '\(word)'", advice: "Write '\(word)' instead.",
          at: node)
      }
      guard keys.contains(key) else {
        let nearest = nearestName(to: key, among: keys).map { "The nearest valid key is '\($0)'. " } ?? ""
        throw value.mistake(
          "unknown key '\(key)'\(place)",
          advice: "\(nearest)Valid here: \(keys.joined(separator: ", ")).", at: node)
      }
      settings[key] = value
    }
    return settings
  }

  /// Returns the values of a mapping whose keys are names that the author chose, sorted by name.
  func namedSettings() throws(PipelineFileError) -> [(name: String, value: Setting)] {
    var settings: [(name: String, value: Setting)] = []
    for (key, value, node) in try pairs() {
      guard Self.isName(key) else {
        throw value.mistake(
          "'\(key)' is not a name", advice: "A name has 1 to 64 letters, digits, '_' or '-'.", at: node)
      }
      settings.append((key, value))
    }
    return settings.sorted { $0.name < $1.name }
  }

  func pairs() throws(PipelineFileError) -> [(key: String, value: Setting, keyNode: Node)] {
    guard case .mapping(let mapping) = node else {
      throw mistake("\(label) must be a mapping of keys to values, not \(kind)")
    }
    var pairs: [(String, Setting, Node)] = []
    var seen: Set<String> = []
    for (key, value) in mapping {
      guard case .scalar(let scalar) = key else {
        throw mistake(
          "a key of \(label) is not plain text", advice: "Write the key as a word or as quoted text.",
          at: key)
      }
      // The texts of keys are compared, because 1 and "1" are two keys in YAML but one key here.
      guard seen.insert(scalar.string).inserted else {
        throw mistake(
          "the key '\(scalar.string)' occurs twice in \(label)", advice: "Remove one of them.", at: key)
      }
      // A mapping of the file may contain a value from `--set`. Only a value with a mark has a position in
      // the file.
      pairs.append((scalar.string, child(value, scalar.string), value.mark == nil ? value : key))
    }
    return pairs
  }

  func elements() throws(PipelineFileError) -> [Setting] {
    guard case .sequence(let sequence) = node else {
      throw mistake("\(label) must be a list such as [a, b], not \(kind)")
    }
    return sequence.enumerated().map { child($1, String($0)) }
  }

  var isMapping: Bool { node.mapping != nil }
  var isSequence: Bool { node.sequence != nil }

  /// Returns the value of `key`, or `nil` if this value is not a mapping or lacks the key.
  func value(of key: String) -> Setting? {
    node.mapping?.first { $0.key.scalar?.string == key }.map { child($0.value, key) }
  }

  // MARK: Scalars

  func text() throws(PipelineFileError) -> String {
    guard case .scalar(let scalar) = node, !isNull, !scalar.string.isEmpty else {
      throw mistake("\(label) must be text, not \(kind)")
    }
    return scalar.string
  }

  func name() throws(PipelineFileError) -> String {
    let text = try text()
    guard Self.isName(text) else {
      throw mistake(
        "\(label) is '\(text)', which is not a name",
        advice: "A name has 1 to 64 letters, digits, '_' or '-'."
      )
    }
    return text
  }

  func number() throws(PipelineFileError) -> Double {
    guard let value = plainNumber, value.isFinite else {
      throw mistake("\(label) must be a number, not \(kind)")
    }
    return value
  }

  func number(above lower: Double, atMost upper: Double) throws(PipelineFileError) -> Double {
    let value = try number()
    guard value > lower, value <= upper else {
      throw mistake("\(label) is \(value), but must be above \(lower) and at most \(upper)")
    }
    return value
  }

  func integer(_ range: ClosedRange<Int>) throws(PipelineFileError) -> Int {
    // The text is parsed as an integer first, because a seed may have more digits than a Double can
    // represent.
    guard let number = plainNumber,
      let value = node.scalar.flatMap({ Int($0.string) }) ?? Int(exactly: number)
    else {
      throw mistake("\(label) must be a whole number, not \(kind)")
    }
    guard range.contains(value) else {
      throw mistake("\(label) is \(value), but must be from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  func boolean() throws(PipelineFileError) -> Bool {
    switch node.scalar?.style == .plain ? node.scalar?.string : nil {
    case "true": return true
    case "false": return false
    default: throw mistake("\(label) must be true or false, not \(kind)")
    }
  }

  func choice<Choice: RawRepresentable & CaseIterable>(_: Choice.Type) throws(PipelineFileError) -> Choice
  where Choice.RawValue == String {
    let text = try text()
    if let choice = Choice(rawValue: text) { return choice }
    throw unknown(text, among: Choice.allCases.map(\.rawValue))
  }

  /// Returns the error for `found`, the text of this value, which is not among `names`. `what` is a noun such
  /// as "date attribute", and `owner` is the entity to which the names belong.
  func unknown(
    _ found: String, among names: [String], called what: String = "value", of owner: String? = nil
  ) -> PipelineFileError {
    unknownKey(found, at: node, among: names, called: what, of: owner)
  }

  /// Returns the error for the text `found` of the node `key`, which is not among `names`.
  func unknownKey(
    _ found: String, at key: Node, among names: [String], called what: String, of owner: String? = nil
  ) -> PipelineFileError {
    let reason = "unknown \(what) '\(found)'\(owner.map { " of '\($0)'" } ?? "") for \(label)"
    guard !names.isEmpty else {
      return mistake(
        reason,
        advice: (owner.map { "'\($0)' has no \(what)." } ?? "The pipeline file has no \(what).")
          + " Add one, or remove the setting that needs it.",
        at: key)
    }
    let nearest = nearestName(to: found, among: names).map { "The nearest name is '\($0)'. " } ?? ""
    return mistake(reason, advice: "\(nearest)Valid here: \(names.joined(separator: ", ")).", at: key)
  }

  private var plainNumber: Double? {
    guard case .scalar(let scalar) = node, scalar.style == .plain, scalar.string.first != "+" else {
      return nil
    }
    return Double(scalar.string)
  }

  var isNull: Bool {
    guard case .scalar(let scalar) = node else { return false }
    return scalar.style == .plain && ["", "~", "null"].contains(scalar.string)
  }

  /// This value as a noun phrase for messages: its text in quotes, or its kind.
  var kind: String {
    switch node {
    case .scalar(let scalar): isNull ? "an empty value" : "'\(scalar.string)'"
    case .mapping: "a mapping"
    case .sequence: "a list"
    case .alias: "an alias"
    }
  }

  private static func isName(_ text: String) -> Bool {
    let allowed = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    return allowed && (1...64).contains(text.utf8.count)
  }
}
