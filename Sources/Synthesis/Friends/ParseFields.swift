/// Appends values to JSON text as Parse's REST interface writes them.
///
/// Source: Parse REST API guide, "Data types".
struct ParseFields {
  /// The members so far, without the braces around them.
  private(set) var members = ""

  /// The object as a line.
  var object: String { "{" + members + "}" }

  mutating func string(_ name: String, _ value: String) {
    add(name, FirestoreFields.quoted(value))
  }

  mutating func pointer(_ name: String, _ className: String, _ id: String) {
    add(
      name,
      #"{"__type":"Pointer","className":"\#(className)","objectId":"# + FirestoreFields.quoted(id) + "}")
  }

  mutating func geoPoint(_ name: String, _ place: Place) {
    add(
      name, #"{"__type":"GeoPoint","latitude":\#(place.latitude),"longitude":\#(place.longitude)}"#)
  }

  /// A file of the app, by the name that Parse gave it.
  mutating func file(_ name: String, _ file: String) {
    add(
      name,
      #"{"__type":"File","name":"\#(file)","url":"https://files.finding-friends.example/\#(file)"}"#)
  }

  private mutating func add(_ name: String, _ value: String) {
    if !members.isEmpty { members += "," }
    members += FirestoreFields.quoted(name) + ":" + value
  }
}
