internal import PipelineFile
internal import Text

/// The limits of the texts that a snapshot keeps. They are the same for every store, so that no store rejects
/// a text that ingest accepted.
enum TextLimits {
  /// The maximum number of bytes of an id. An entry of a B-tree index in PostgreSQL has at most 2,704 bytes,
  /// and the index of matches has two ids per entry.
  static let bytesOfID = 1024
  static let bytesOfWord = Pipeline.mostBytesOfWord
  static let tags = 256

  /// Returns whether `text` contains the character U+0000. PostgreSQL cannot store this character, and
  /// SQLite's text functions stop at it.
  static func hasNull(_ text: Span<UInt8>) -> Bool { text.firstIndex(of: 0) != nil }

  /// Returns the rule that an id breaks; `nil` if there is none.
  static func fault(ofID id: Span<UInt8>) -> IngestRule? {
    if id.count > bytesOfID { return .idTooLong }
    return hasNull(id) ? .nullCharacter : nil
  }

  /// Returns the rule that a word of a category or a set breaks; `nil` if there is none.
  static func fault(ofWord word: Span<UInt8>) -> IngestRule? {
    if word.count > bytesOfWord { return .wordTooLong }
    return hasNull(word) ? .nullCharacter : nil
  }
}
