/// The fields that a source needs, by their position in its records.
struct FieldSlots: Sendable {
  private(set) var names: [String]

  init(_ names: [String] = []) { self.names = names }

  /// The position of `name`, which is asked for once however often it is used.
  mutating func position(of name: String) -> Int {
    // By bytes, as columns are: a String's == would take two spellings of an accent for one column.
    if let position = names.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) { return position }
    names.append(name)
    return names.count - 1
  }
}
