package import Text

/// A setting whose value differs between two pipeline files. A value is `nil` if its file lacks the setting.
package struct SettingDifference: Sendable {
  /// The path of the setting, such as `model.prior`.
  package let name: String
  package let one: String?
  package let other: String?

  /// Returns all settings that differ, sorted by name.
  package static func all(_ one: JSONValue, _ other: JSONValue) -> [SettingDifference] {
    let (left, right) = (leaves(of: one, ""), leaves(of: other, ""))
    return Set(left.keys).union(right.keys).sorted().filter { left[$0] != right[$0] }.map {
      SettingDifference(name: $0, one: left[$0], other: right[$0])
    }
  }

  private static func leaves(of value: JSONValue, _ name: String) -> [String: String] {
    switch value {
    case .object(let members) where !members.isEmpty:
      members.reduce(into: [:]) { all, member in
        all.merge(leaves(of: member.value, name.isEmpty ? member.key : name + "." + member.key)) { first, _ in
          first
        }
      }
    case .string(let text): [name: text]
    default:
      // The lines of the value, without their indentation. Line breaks inside of texts are escaped.
      [
        name: String(decoding: value.pretty, as: UTF8.self).split(separator: "\n")
          .map { line in line.drop { $0 == " " } }.joined(separator: " ")
      ]
    }
  }
}
