internal import Yams

/// One `--set KEY=VALUE`, which replaces a value of the pipeline file before the file is checked.
package struct Override: Hashable, Sendable {
  /// The parts of the dotted path. A number is an index into a list.
  package var path: [String]
  /// The value as YAML: `5`, `[self, interacted]`, `{ right: 1 }`.
  package var value: String

  /// Splits `KEY=VALUE` at the first equals sign.
  ///
  /// - Throws: `PipelineFileError` if there is no equals sign, or if the key has an empty part.
  package init(_ argument: String) throws(PipelineFileError) {
    guard let equals = argument.firstIndex(of: "=") else {
      throw PipelineFileError(
        place: "--set \(argument)", reason: "it has no '='",
        advice: "Write --set KEY=VALUE, as in --set model.compat=createml.")
    }
    path = argument[..<equals].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    value = String(argument[argument.index(after: equals)...])
    guard path.allSatisfy({ !$0.isEmpty }) else {
      throw PipelineFileError(
        place: "--set \(argument)", reason: "a part of its key is empty",
        advice: "Write a dotted path, as in --set rankings.partners.top=3.")
    }
  }

  /// The argument `KEY=VALUE`.
  var argument: String { path.joined(separator: ".") + "=" + value }

  /// Returns the tree `root` with the value replaced, or added if the key is new. This method does not check
  /// whether the key is valid.
  func applied(to root: Node) throws(PipelineFileError) -> Node {
    let place = "--set \(path.joined(separator: "."))"
    // In YAML, `-` is a list with an empty item. On a command line, `-` usually means standard input, so the
    // value stays a text.
    if value == "-" {
      return try replaced(in: root, path[...], with: Node("-", .implicit, .singleQuoted), place)
    }
    let parsed: Node?
    do {
      parsed = try Yams.compose(yaml: value, .basic)
    } catch {
      throw PipelineFileError(
        place: place, reason: "'\(value)' is not YAML", advice: "Quote the value for YAML and for the shell.")
    }
    var budget = 10_000
    guard let value = (parsed ?? Node("")).withoutMarks(&budget) else {
      throw PipelineFileError(
        place: place, reason: "its value has more than 10 000 nodes, with all aliases expanded",
        advice: "Write the value into the pipeline file.")
    }
    return try replaced(in: root, path[...], with: value, place)
  }

  private func replaced(in node: Node, _ rest: ArraySlice<String>, with value: Node, _ place: String)
    throws(PipelineFileError) -> Node
  {
    guard let key = rest.first else { return value }
    switch node {
    case .mapping(var mapping):
      // The texts of keys are compared, because 1 and "1" are two keys in YAML but one key here.
      let found = mapping.keys.first { $0.scalar?.string == key } ?? Node(key)
      let old = mapping[found] ?? Node([(Node, Node)]())
      mapping[found] = try replaced(in: old, rest.dropFirst(), with: value, place)
      return .mapping(mapping)
    case .sequence(var sequence):
      guard let index = Int(key), sequence.indices.contains(index) else {
        throw PipelineFileError(
          place: place, reason: "'\(key)' is not an index of this list, whose length is \(sequence.count)",
          advice: "The first element has index 0.")
      }
      sequence[index] = try replaced(in: sequence[index], rest.dropFirst(), with: value, place)
      return .sequence(sequence)
    case .scalar, .alias:
      throw PipelineFileError(
        place: place, reason: "the key before '\(key)' has a plain value, so it contains no '\(key)'",
        advice: "Remove '\(key)' from the path, or correct the keys before it.")
    }
  }
}

extension Node {
  /// Returns a copy of the value without its position in a file, so that error messages name the `--set`.
  /// Returns `nil` if the value has more than `budget` nodes, because a few nested aliases can expand to
  /// billions of nodes.
  fileprivate func withoutMarks(_ budget: inout Int) -> Node? {
    budget -= 1
    guard budget >= 0 else { return nil }
    switch self {
    case .scalar(let scalar): return Node(scalar.string, .implicit, scalar.style)
    case .mapping(let mapping):
      var pairs: [(Node, Node)] = []
      for (key, value) in mapping {
        guard let key = key.withoutMarks(&budget), let value = value.withoutMarks(&budget) else { return nil }
        pairs.append((key, value))
      }
      return Node(pairs)
    case .sequence(let sequence):
      var nodes: [Node] = []
      for node in sequence {
        guard let node = node.withoutMarks(&budget) else { return nil }
        nodes.append(node)
      }
      return Node(nodes)
    case .alias: return self
    }
  }
}
