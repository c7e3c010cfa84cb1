/// Values in the typed format of Firestore's REST API.
///
/// Every value is an object whose only member names its type. Integers and times are strings.
///
/// Source: cloud.google.com/firestore/docs/reference/rest/Shared.Types/ArrayValue#Value
struct FirestoreFields: ExportedFields {
  var members = ""

  mutating func string(_ name: String, _ value: String) {
    add(name, json: #"{"stringValue":"# + Self.quoted(value) + "}")
  }

  mutating func integer(_ name: String, _ value: Int) {
    add(name, json: #"{"integerValue":"\#(value)"}"#)
  }

  mutating func double(_ name: String, _ value: Double) {
    add(name, json: #"{"doubleValue":\#(value)}"#)
  }

  mutating func flag(_ name: String, _ value: Bool) {
    add(name, json: #"{"booleanValue":\#(value)}"#)
  }

  mutating func null(_ name: String) {
    add(name, json: #"{"nullValue":null}"#)
  }

  /// Appends a time in RFC 3339.
  mutating func time(_ name: String, _ value: String) {
    add(name, json: #"{"timestampValue":"# + Self.quoted(value) + "}")
  }

  mutating func strings(_ name: String, _ values: [String]) {
    array(name, values.map { #"{"stringValue":"# + Self.quoted($0) + "}" })
  }

  mutating func map(_ name: String, _ fields: FirestoreFields) {
    add(name, json: Self.map(fields))
  }

  mutating func maps(_ name: String, _ values: [FirestoreFields]) {
    array(name, values.map(Self.map))
  }

  /// Appends a position. Both angles are JSON texts: a number, or a string for a number that JSON lacks, such
  /// as `"NaN"` in the JSON mapping of Protocol Buffers.
  mutating func geoPoint(_ name: String, latitude: String, longitude: String) {
    add(name, json: #"{"geoPointValue":{"latitude":\#(latitude),"longitude":\#(longitude)}}"#)
  }

  /// Returns the document at `path` as a line. The path consists of a collection and an id. As in Firestore,
  /// the document includes the times of its creation and last update, both in RFC 3339.
  func document(in project: String, _ path: String, created: String, updated: String) -> String {
    "{\"name\":" + Self.quoted("projects/\(project)/databases/(default)/documents/\(path)")
      + ",\"fields\":{" + members + "},\"createTime\":\"\(created)\",\"updateTime\":\"\(updated)\"}"
  }

  private mutating func array(_ name: String, _ values: [String]) {
    // Firestore omits the member `values` of an empty array.
    let list = values.isEmpty ? "" : #""values":[\#(values.joined(separator: ","))]"#
    add(name, json: #"{"arrayValue":{"# + list + "}}")
  }

  private static func map(_ fields: FirestoreFields) -> String {
    #"{"mapValue":{"fields":{"# + fields.members + "}}}"
  }
}
