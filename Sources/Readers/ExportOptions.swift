/// The options for parsing an export.
package struct ExportOptions: Hashable, Sendable {
  /// CSV and TSV: the byte between fields; `nil` for the format's default, a comma or a tab.
  package var delimiter: UInt8?
  /// CSV and TSV: the byte around fields that contain delimiters, quotes or line ends; `noQuote` if no
  /// character has this meaning.
  package var quote: UInt8
  /// CSV and TSV: the names of the columns of a file without a header; empty if the first row is a header.
  package var columns: [String] = []
  /// The text formats: the encoding of the file.
  package var encoding = TextEncoding.utf8
  /// CSV and TSV: whether a file without bytes is a file without rows, although it has no header.
  package var allowsEmpty = false
  /// Texts that mean a missing value, in addition to the empty text. In all formats, texts are compared as
  /// bytes and numbers by value, whether or not the value is quoted.
  package var missing: [String]
  /// Realtime: the path of the records in the tree, such as `swipes/$swiper/$target`. See `RealtimePath`.
  package var table: String?
  /// DuckDB: the query whose result is the export.
  package var query: String?
  /// DuckDB: the directory for relative paths of the query; `nil` for the current directory.
  package var workingDirectory: String?
  /// The limits of a compressed file's expansion.
  package var expansion: ExpansionLimits

  /// A byte that does not occur in UTF-8, so no field is quoted.
  package static let noQuote: UInt8 = 0xFF

  /// Creates options. The other options have their defaults; set them afterwards if needed.
  package init(
    delimiter: UInt8? = nil, quote: UInt8 = UInt8(ascii: "\""), missing: [String] = [], table: String? = nil,
    query: String? = nil, expansion: ExpansionLimits = ExpansionLimits()
  ) {
    self.delimiter = delimiter
    self.quote = quote
    self.missing = missing
    self.table = table
    self.query = query
    self.expansion = expansion
  }
}

extension ExportOptions {
  /// Returns the delimiter that is set, or the default delimiter of `format`.
  func delimiter(in format: ExportFormat) -> UInt8 {
    delimiter ?? format.delimiter ?? UInt8(ascii: ",")
  }

  /// Checks that the delimiter and the quote are different ASCII characters that do not end a line.
  ///
  /// - Throws: `bad_option` if the check fails.
  func checkDelimiters(_ format: ExportFormat, file: String) throws(ExportError) {
    let delimiter = delimiter(in: format)
    let isUsable = { (byte: UInt8) in byte > 0 && byte < 0x80 && byte != lineFeed && byte != carriageReturn }
    guard delimiter != quote, isUsable(delimiter), isUsable(quote) || quote == Self.noQuote else {
      throw ExportError(
        .badOption, file: file,
        reason: "the delimiter and the quote must be two different ASCII characters that do not end a line, "
          + "but they are the bytes \(delimiter) and \(quote); correct 'delimiter' or 'quote' in the source")
    }
  }
}

/// The limits of a compressed file's expansion. They prevent a small hostile file from filling the disk or
/// the memory.
package struct ExpansionLimits: Hashable, Sendable {
  /// The maximum number of bytes to which one file may expand.
  package var bytes: Int
  /// The maximum expansion ratio, averaged over the file so far. The first mebibyte is exempt.
  package var ratio: Int

  package init(bytes: Int = 64 << 30, ratio: Int = 1000) {
    self.bytes = bytes
    self.ratio = ratio
  }
}
