internal import Columns
internal import PipelineFile
internal import RunSchemas
internal import Text

/// The words of a category that have columns of their own, and the column `other` for all others.
enum SharedWords {
  /// The name of the shared column. A word of this name is always in it.
  static let other = "other"

  /// The words that keep their columns: the `limit` most frequent ones among the candidates of the learning rows.
  /// Of equally frequent words, the first in byte order are kept.
  ///
  /// - Parameters:
  ///   - column: The candidates' category, whose vocabulary is in byte order.
  ///   - learning: The learning rows.
  ///   - limit: The number of words to keep.
  /// - Returns: The words in byte order; `nil` if all words keep their columns.
  static func kept(_ column: CategoryColumn, _ learning: InteractionTable, limit: Int) -> [String]? {
    let words = column.vocabulary.strings
    guard words.count > limit else { return nil }
    var rows = [Int](repeating: 0, count: words.count)
    let (codes, candidates) = (column.codes.span, learning.candidate.span)
    for row in candidates.indices {
      let code = codes[Int(candidates[row])]
      if code != CategoryColumn.missing { rows[Int(code)] += 1 }
    }
    let own = words.indices.filter { !words[$0].utf8.elementsEqual(other.utf8) }
    return own.sorted { (rows[$1], $0) < (rows[$0], $1) }.prefix(limit).sorted().map { words[$0] }
  }

  /// The codes of `column` among `words` and `other`, which has the last code.
  static func codes(_ column: CategoryColumn, _ words: [String]) -> [UInt32] {
    // Compares bytes: two words may differ only in the encoding of an accent.
    let numbers = Dictionary(
      uniqueKeysWithValues: zip(words.map { Array($0.utf8) }, 0 as UInt32..<UInt32(words.count)))
    let codes = (0..<column.vocabulary.count).map { word in
      numbers[Array(copying: column.vocabulary.bytes(word))] ?? UInt32(words.count)
    }
    return column.codes.elements.map { $0 == CategoryColumn.missing ? $0 : codes[Int($0)] }
  }
}
