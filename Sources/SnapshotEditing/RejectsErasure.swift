internal import Ingest
internal import Text

/// Takes people out of a `rejects.csv`.
package enum RejectsErasure {
  /// Rules whose value is the id that the row is about, or of whom it belongs to.
  private static let idRules: [IngestRule] = [
    .duplicateID, .unknownUser, .unknownCandidate, .unknownOwner, .selfInteraction,
  ]

  /// The text without rows whose value is one of `ids`, and without the values of all rows of which nobody can tell whose
  /// they are: only the exports could.
  ///
  /// - Parameters:
  ///   - ids: Of any kind of entity.
  ///   - text: The file as ingest wrote it.
  ///   - hidesOthers: Whether other ids go too, though not their rows: where things have owners, one that was rejected, and
  ///     is in no snapshot, may be anybody's.
  /// - Returns: The text, which may be the same, and how many rows went.
  package static func removing(
    _ ids: [[UInt8]], from text: [UInt8], hidesOthers: Bool
  ) -> (text: [UInt8], removed: Int) {
    let fields = Set(
      ids.map { id in
        let shown = String(decoding: id, as: UTF8.self).unicodeScalars.prefix(RejectLog.shownCharacters)
        return CSVLine.field(Array(String(shown).utf8))
      })
    let rules = Set(idRules.map { Array($0.rawValue.utf8) })
    var kept: [UInt8] = []
    var removed = 0
    for (number, line) in text.split(separator: 0x0A, omittingEmptySubsequences: true).enumerated() {
      let line = CSVLine(Array(line))
      if number == 0 {
        kept += line.bytes
      } else if rules.contains(Array(line[4])), fields.contains(Array(line[5])) {
        removed += 1
        continue
      } else if rules.contains(Array(line[4])), !hidesOthers {
        kept += line.bytes
      } else {
        kept += line.bytes[..<(line.fields.last?.lowerBound ?? 0)]
      }
      kept.append(0x0A)
    }
    return (kept, removed)
  }
}
