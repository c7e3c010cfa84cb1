internal import Yams

/// One `--set KEY=VALUE`: replaces a value of the pipeline file before it is checked.
package struct Override: Hashable, Sendable {
  /// Dotted path; a number is the index of a list's element.
  package var path: [String]
  /// YAML: `5`, `[self, interacted]`, `{ right: 1 }`.
  package var value: String

  /// Splits `KEY=VALUE` at the first equals sign.
  ///
  /// - Throws: `PipelineFileError` where there is none, or where the key has an empty part.
  package init(_ argument: String) throws(PipelineFileError) {
    guard let equals = argument.firstIndex(of: "=") else {
      throw PipelineFileError(
        place: "--set \(argument)", reason: "it has no '='",
        advice: "Write --set KEY=VALUE, as in --set model.compat=createml.")
    }
    path = argument[..<equals].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    value = String(argument[argument.index(after: equals)...])
    guard path.allSatisfy({ !$0.isEmpty }) else {
      throw PipelineFileError(place: "--set \(argument)", reason: "a part of its key is empty")
    }
  }

  /// The tree `root` with the value replaced, or added where its key is new: the check of keys comes later.
  func applied(to root: Node) throws(PipelineFileError) -> Node {
    let place = "--set \(path.joined(separator: "."))"
    let parsed: Node?
    do {
      parsed = try Yams.compose(yaml: value)
    } catch {
      throw PipelineFileError(place: place, reason: "'\(value)' is not YAML")
    }
    return try replaced(in: root, path[...], with: (parsed ?? Node("")).withoutMarks, place)
  }

  private func replaced(in node: Node, _ rest: ArraySlice<String>, with value: Node, _ place: String)
    throws(PipelineFileError) -> Node
  {
    guard let key = rest.first else { return value }
    switch node {
    case .mapping(var mapping):
      let old = mapping[Node(key)] ?? Node([(Node, Node)]())
      mapping[Node(key)] = try replaced(in: old, rest.dropFirst(), with: value, place)
      return .mapping(mapping)
    case .sequence(var sequence):
      guard let index = Int(key), sequence.indices.contains(index) else {
        throw PipelineFileError(
          place: place, reason: "'\(key)' is not an index of a list of \(sequence.count)",
          advice: "The first has index 0.")
      }
      sequence[index] = try replaced(in: sequence[index], rest.dropFirst(), with: value, place)
      return .sequence(sequence)
    case .scalar, .alias:
      throw PipelineFileError(
        place: place, reason: "there is no '\(key)': what stands before it has a plain value")
    }
  }
}

extension Node {
  /// The same value without its place, so that a mistake in it is reported against its `--set`.
  fileprivate var withoutMarks: Node {
    switch self {
    case .scalar(let scalar): Node(scalar.string, .implicit, scalar.style)
    case .mapping(let mapping): Node(mapping.map { ($0.key.withoutMarks, $0.value.withoutMarks) })
    case .sequence(let sequence): Node(sequence.map(\.withoutMarks))
    case .alias: self
    }
  }
}
