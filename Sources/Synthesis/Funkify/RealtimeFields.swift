/// Members of an object in a Realtime Database's export.
struct RealtimeFields {
  private(set) var members = ""

  mutating func text(_ name: String, _ value: String) { add(name, FirestoreFields.quoted(value)) }

  mutating func integer(_ name: String, _ value: Int64) { add(name, String(value)) }

  mutating func number(_ name: String, _ value: Double) { add(name, "\(value)") }

  mutating func flag(_ name: String, _ value: Bool) { add(name, String(value)) }

  /// Words as keys that are true: the database has no sets.
  mutating func tags(_ name: String, _ words: [String]) {
    guard !words.isEmpty else { return }
    add(name, "{" + words.map { FirestoreFields.quoted($0) + ":true" }.joined(separator: ",") + "}")
  }

  mutating func place(_ place: Place) {
    add("location", "{\"lat\":\(place.latitude),\"lng\":\(place.longitude)}")
  }

  private mutating func add(_ name: String, _ value: String) {
    if !members.isEmpty { members += "," }
    members += FirestoreFields.quoted(name) + ":" + value
  }
}
