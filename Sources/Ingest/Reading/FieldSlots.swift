/// The fields that a source needs, by their index in its records.
struct FieldSlots: Sendable {
  private(set) var names: [String]

  init(_ names: [String] = []) { self.names = names }

  /// The index of `name`, which is requested once however often it is used.
  mutating func position(of name: String) -> Int {
    // Compares bytes, like column names: `String` equality would merge different encodings of an accent.
    if let position = names.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) { return position }
    names.append(name)
    return names.count - 1
  }
}
