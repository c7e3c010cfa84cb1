internal import Columns
internal import RunSchemas

/// Groups of users by the values of some of their categories.
struct GroupLabels {
  /// The display name of each group. Different groups can have names that look alike.
  let names: [String]
  /// The group number of each user, by row.
  let group: [Int]

  /// Creates the groups. Users with equal values in all `categories` form one group. A missing value counts
  /// as a value. Without categories, all users are one group. Groups are sorted by the bytes of their values;
  /// missing values come last.
  init(_ categories: [String], of users: EntityTable) {
    let columns = categories.map { name in
      guard let column = users.categories[name] else { preconditionFailure("no category '\(name)'") }
      return (codes: column.codes.elements, words: column.vocabulary.strings)
    }
    // Groups are compared by codes, so that values that look alike or contain a comma remain distinct.
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
