internal import Columns
internal import RunSchemas

/// Groups of users by the values of some of their categories.
struct GroupLabels {
  /// For people, by group; groups of other values may look alike.
  let names: [String]
  /// By row.
  let group: [Int]

  /// Users with the same value in all of `categories` are one group; a missing value is one too. Without categories all users are
  /// one group. Groups are in the order of their values' bytes, missing ones last.
  init(_ categories: [String], of users: EntityTable) {
    let columns = categories.map { name in
      guard let column = users.categories[name] else { preconditionFailure("no category '\(name)'") }
      return (codes: column.codes.elements, words: column.vocabulary.strings)
    }
    // Codes, not texts: values that read alike, or hold a comma, stay apart.
    let keys = (0..<users.count).map { row in columns.map { $0.codes[row] } }
    let distinct = Set(keys + (categories.isEmpty ? [[]] : [])).sorted { $0.lexicographicallyPrecedes($1) }
    names = distinct.map { key in
      zip(key, columns).map { code, column in
        code == CategoryColumn.missing ? "(missing)" : column.words[Int(code)]
      }.joined(separator: ", ")
    }
    let numbers = Dictionary(uniqueKeysWithValues: distinct.enumerated().map { ($1, $0) })
    group = keys.map { numbers[$0] ?? 0 }
  }
}
