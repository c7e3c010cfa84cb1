/// How an export departs from its format's defaults.
package struct ExportOptions: Hashable, Sendable {
  /// CSV and TSV: the byte between fields; `nil` is the format's own, a comma or a tab.
  package var delimiter: UInt8?
  /// CSV and TSV: the byte around fields that hold delimiters, quotes or line ends.
  package var quote: UInt8
  /// Texts that mean that there is nothing, compared as bytes, in any format, quoted or not. The empty text
  /// always does.
  package var missing: [String]
  /// Realtime: where the records lie in the tree, as in `swipes/$swiper/$target`; see `RealtimeRecords`.
  package var table: String?
  /// DuckDB: the query whose answer is the export.
  package var query: String?
  /// DuckDB: where relative paths of the query start; `nil` is where the process stands.
  package var workingDirectory: String?
  /// How far a compressed file may expand.
  package var expansion: ExpansionLimits

  /// Options with the given departures; none by default.
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
  /// The byte between fields.
  func delimiter(in format: ExportFormat) -> UInt8 {
    delimiter ?? format.delimiter ?? UInt8(ascii: ",")
  }

  /// - Throws: `bad_option` where rows could not be told apart from fields.
  func checkDelimiters(_ format: ExportFormat, file: String) throws(ExportError) {
    let delimiter = delimiter(in: format)
    let isUsable = { (byte: UInt8) in byte > 0 && byte < 0x80 && byte != lineFeed && byte != carriageReturn }
    guard delimiter != quote, isUsable(delimiter), isUsable(quote) else {
      throw ExportError(
        .badOption, file: file,
        reason: "delimiter and quote must be two different ASCII characters that do not end a line, "
          + "not \(delimiter) and \(quote)")
    }
  }
}

/// How far a compressed file may expand, so that a small hostile one cannot fill the machine.
package struct ExpansionLimits: Hashable, Sendable {
  /// The most bytes that one file may expand to.
  package var bytes: Int
  /// The most bytes that one compressed byte may expand to, on average over the file so far. Not applied before
  /// the first mebibyte.
  package var ratio: Int

  package init(bytes: Int = 64 << 30, ratio: Int = 1000) {
    self.bytes = bytes
    self.ratio = ratio
  }
}
