internal import Columns
internal import RunSchemas

/// One attribute that the keys of a catalog are made of: a category, of which everybody has one word at most, or tags, of
/// which somebody may have many.
struct CatalogWords {
  let vocabulary: StringColumn
  private let category: CategoryColumn?
  private let tags: TagColumn?

  /// - Returns: `nil` where `table` has no category and no tags of this name.
  init?(_ name: String, of table: EntityTable) {
    category = table.categories[name]
    tags = table.tags[name]
    guard let vocabulary = category?.vocabulary ?? tags?.vocabulary else { return nil }
    self.vocabulary = vocabulary
  }

  /// The words of `row`, ascending; none where nothing is known.
  func codes(_ row: Int) -> [UInt32] {
    if let category { return category.codes[row] == CategoryColumn.missing ? [] : [category.codes[row]] }
    guard let tags else { return [] }
    return tags.range(row).map { tags.codes[$0] }
  }

  /// All ways to take one of each.
  static func combinations(_ words: [[UInt32]]) -> [[UInt32]] {
    words.reduce([[]]) { keys, words in keys.flatMap { key in words.map { key + [$0] } } }
  }
}
