/// The members of a JSON object in the export format of one kind of database.
protocol ExportedFields {
  /// The members so far, without braces.
  var members: String { get set }

  init()
}

extension ExportedFields {
  /// Appends a member with the value `json`, which already has the format of the database.
  mutating func add(_ name: String, json: String) {
    if !members.isEmpty { members += "," }
    members += Self.quoted(name) + ":" + json
  }

  /// Returns `text` as a JSON string with escaped quotes, backslashes and control characters.
  static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
