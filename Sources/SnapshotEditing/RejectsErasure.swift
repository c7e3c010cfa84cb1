internal import Ingest
internal import Text

/// Removes people from a `rejects.csv` file.
package enum RejectsErasure {
  /// The rules whose rejected value is an id: the id of the row, its user, its candidate or its owner.
  private static let idRules: [IngestRule] = [
    .duplicateID, .unknownUser, .unknownCandidate, .unknownOwner, .selfInteraction, .underAge,
    .ageUnknown,
  ]

  /// Removes the rows whose value is one of `ids`. Also blanks the values of rows that may belong to anyone,
  /// because only the exports show to whom these rows belong.
  ///
  /// - Parameters:
  ///   - ids: Ids of any entities.
  ///   - text: The file as the ingest stage wrote it.
  ///   - hidesOthers: Whether to also blank values that are other ids. Pass `true` if rows have owners: the
  ///     snapshot does not contain rejected ids, so it does not show which of them belong to the erased
  ///     person.
  /// - Returns: The text, possibly unchanged, and the number of removed rows.
  package static func removing(
    _ ids: [[UInt8]], from text: [UInt8], hidesOthers: Bool
  ) -> (text: [UInt8], removed: Int) {
    let fields = Set(
      ids.map { id in
        let shown = String(decoding: id, as: UTF8.self).unicodeScalars.prefix(RejectLog.shownCharacters)
        return CSVText.field(Array(String(shown).utf8))
      })
    let rules = Set(idRules.map { Array($0.rawValue.utf8) })
    var kept: [UInt8] = []
    var removed = 0
    for (number, line) in text.split(separator: 0x0A, omittingEmptySubsequences: true).enumerated() {
      let line = Array(line)
      guard number > 0, let row = CSVRecord(line: line.span) else {
        kept += line + [0x0A]
        continue
      }
      if rules.contains(row[4]), fields.contains(row.written(5, in: line)) {
        removed += 1
        continue
      }
      kept +=
        rules.contains(row[4]) && !hidesOthers ? line[...] : line[..<row.place(row.count - 1).lowerBound]
      kept.append(0x0A)
    }
    return (kept, removed)
  }
}
