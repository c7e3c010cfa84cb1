import Text

/// A CSV file of matches from the rank stage.
enum MatchesFile {
  /// Calls `body` with each match in the file at `path`: the line on which the match ends, both ids, and the
  /// time.
  ///
  /// - Throws: `missingRankings` or `unreadableRankings`; `corruptRankings` with the line, also if `body`
  ///   throws `refused`; other errors of `body`.
  static func read(
    _ path: String,
    _ body: (_ line: Int, _ user: [UInt8], _ other: [UInt8], _ matchedAt: [UInt8]) throws -> Void
  ) throws {
    var reader = try LineReader(path: path)
    var record = CSVRecord()
    var isHeader = true
    var isComplete = true
    var line = 0
    try placing(&reader) { text in
      line += 1
      do throws(CSVRecord.Flaw) {
        isComplete = try record.take(text)
      } catch {
        return error.rawValue
      }
      guard isComplete else { return nil }
      guard record.count == header.count else { return "the record does not have three fields" }
      if isHeader {
        isHeader = false
        return header.indices.allSatisfy { record[$0] == header[$0] }
          ? nil : "the header is not user_id,other_user_id,matched_at"
      }
      // `CSVText` escapes ids in this file, so that spreadsheets do not evaluate them as formulas.
      // `CSVRecord.text` removes these escapes.
      try body(line, record.text(0), record.text(1), record[2])
      return nil
    }
    guard isComplete else { throw reader.corrupt("the file ends inside quotes") }
    guard !isHeader else { throw reader.corrupt("the file has no header") }
  }

  private static let header = ["user_id", "other_user_id", "matched_at"].map { Array($0.utf8) }

  /// Passes every line to `body`. If `body` returns a problem, or if the store rejects the row, the error
  /// contains the line number.
  private static func placing(
    _ reader: inout LineReader, _ body: (Span<UInt8>) throws -> String?
  ) throws {
    while true {
      var flaw: String?
      do {
        guard try reader.next({ flaw = try body($0) }) else { return }
      } catch let error as ServingStoreError where error.code == .refused {
        // A row from the rank stage broke a rule of the store: for example, a pair occurs twice.
        flaw = error.found
      }
      if let flaw { throw reader.corrupt(flaw) }
    }
  }
}
