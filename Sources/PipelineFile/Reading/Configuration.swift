internal import Text
internal import Yams

extension JSONValue {
  /// Converts the YAML value `node` to JSON, for manifests. A plain scalar becomes null, a Boolean or a
  /// number if it has that form, and otherwise a string.
  init(_ node: Node) {
    switch node {
    case .scalar(let scalar): self = Self.scalar(scalar)
    case .sequence(let sequence): self = .array(sequence.map(JSONValue.init))
    case .mapping(let mapping):
      let members = mapping.map { ($0.key.scalar?.string ?? "", JSONValue($0.value)) }
      self = .object(Dictionary(members) { _, last in last })
    case .alias: self = .null
    }
  }

  private static func scalar(_ scalar: Node.Scalar) -> JSONValue {
    guard scalar.style == .plain else { return .string(scalar.string) }
    switch scalar.string {
    case "", "~", "null": return .null
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case let text:
      if let integer = Int(text) { return .integer(integer) }
      if let number = Double(text), number.isFinite { return .number(number) }
      return .string(text)
    }
  }
}
