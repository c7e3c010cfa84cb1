/// The members of a JSON object, as one kind of database exports them.
protocol ExportedFields {
  /// The members so far, without the braces around them.
  var members: String { get set }

  init()
}

extension ExportedFields {
  /// Appends a member whose value is `json`, already in the database's form.
  mutating func add(_ name: String, json: String) {
    if !members.isEmpty { members += "," }
    members += Self.quoted(name) + ":" + json
  }

  /// `text` as a JSON string: quotes, backslashes and control characters escaped, all else as it is.
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
