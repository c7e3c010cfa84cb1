/// The fields that a source needs. A field's slot is its index in the source's records.
struct FieldSlots: Sendable {
  private(set) var names: [String]

  init(_ names: [String] = []) { self.names = names }

  /// Returns the slot of `name`. A field that is used several times has only one slot.
  mutating func position(of name: String) -> Int {
    // Bytes are compared, as for column names, because `String` equality would merge different encodings of
    // an accent.
    if let position = names.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) { return position }
    names.append(name)
    return names.count - 1
  }
}
