/// Appends values to JSON text in the typed form of Firestore's REST interface.
///
/// Every value is an object with one member that names its type; integers and times are strings there.
///
/// Source: cloud.google.com/firestore/docs/reference/rest/Shared.Types/ArrayValue#Value
struct FirestoreFields {
  /// The members so far, without the braces around them.
  private(set) var members = ""

  mutating func string(_ name: String, _ value: String) {
    add(name, #"{"stringValue":"# + Self.quoted(value) + "}")
  }

  mutating func integer(_ name: String, _ value: Int) {
    add(name, #"{"integerValue":"\#(value)"}"#)
  }

  mutating func flag(_ name: String, _ value: Bool) {
    add(name, #"{"booleanValue":\#(value)}"#)
  }

  mutating func null(_ name: String) {
    add(name, #"{"nullValue":null}"#)
  }

  /// A time in RFC 3339.
  mutating func time(_ name: String, _ value: String) {
    add(name, #"{"timestampValue":"# + Self.quoted(value) + "}")
  }

  mutating func strings(_ name: String, _ values: [String]) {
    let list = values.map { #"{"stringValue":"# + Self.quoted($0) + "}" }.joined(separator: ",")
    // Firestore leaves the member `values` out of an empty array.
    add(name, #"{"arrayValue":{"# + (values.isEmpty ? "" : #""values":[\#(list)]"#) + "}}")
  }

  mutating func double(_ name: String, _ value: Double) {
    add(name, #"{"doubleValue":\#(value)}"#)
  }

  mutating func maps(_ name: String, _ values: [FirestoreFields]) {
    let list = values.map { #"{"mapValue":{"fields":{"# + $0.members + "}}}" }.joined(separator: ",")
    add(name, #"{"arrayValue":{"# + (values.isEmpty ? "" : #""values":[\#(list)]"#) + "}}")
  }

  mutating func map(_ name: String, _ fields: FirestoreFields) {
    add(name, #"{"mapValue":{"fields":{"# + fields.members + "}}}")
  }

  /// A position. Both angles are JSON as it will stand there: a number, or a string where JSON has no such
  /// number (Protocol Buffers write `"NaN"`).
  mutating func geoPoint(_ name: String, latitude: String, longitude: String) {
    add(name, #"{"geoPointValue":{"latitude":\#(latitude),"longitude":\#(longitude)}}"#)
  }

  private mutating func add(_ name: String, _ value: String) {
    if !members.isEmpty { members += "," }
    members += Self.quoted(name) + ":" + value
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
