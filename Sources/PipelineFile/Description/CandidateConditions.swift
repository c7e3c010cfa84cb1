internal import Columns
package import RunSchemas
package import Text

extension EntityTable {
  /// Returns, for each row, whether it meets `condition` at the as-of time `asOf`.
  package func meets(_ condition: Pipeline.Condition, asOf: Instant) -> [Bool] {
    switch condition {
    case .flagged(let name):
      if let column = flags[name] { return column.elements.map { $0 == 1 } }
    case .notFlagged(let name):
      if let column = flags[name] { return column.elements.map { $0 == 0 } }
    case .within(let name, let range):
      if let column = number(name) { return column.elements.map(range.contains) }
      if let column = dates[name] {
        // The conversion of milliseconds since 1970 to `Double` is exact.
        return column.elements.map { $0 != .min && range.contains(Double($0)) }
      }
    case .noneOf(let name, let words):
      return meets(.oneOf(name, words), asOf: asOf).map { !$0 }
    case .known(let name):
      if let column = tags[name] { return (0..<count).map { !column.range($0).isEmpty } }
      if let column = categories[name] { return column.codes.elements.map { $0 != CategoryColumn.missing } }
    case .oneOf(let name, let words):
      if let column = categories[name] {
        let codes = column.vocabulary.rows(of: words)
        return column.codes.elements.map { codes.contains($0) }
      }
      if let column = tags[name] {
        let codes = column.vocabulary.rows(of: words)
        let elements = column.codes.elements
        return (0..<count).map { row in column.range(row).contains { codes.contains(elements[$0]) } }
      }
    case .notOver(let names):
      let columns = names.compactMap { dates[$0]?.elements }
      if columns.count == names.count {
        return (0..<count).map { row in
          (columns.lazy.map { $0[row] }.first { $0 != .min } ?? .min) >= asOf.milliseconds
        }
      }
    case .free(let name, let within):
      if let column = intervals[name] {
        let (end, overflows) = asOf.milliseconds.addingReportingOverflow(within)
        let span = asOf.milliseconds..<(overflows ? .max : end)
        return (0..<count).map { column.overlaps($0, span) }
      }
    }
    preconditionFailure("the snapshot lacks an attribute of the condition '\(condition.name)'")
  }
}

extension StringColumn {
  /// Returns the rows of `words` in this vocabulary. Words that the vocabulary lacks are left out.
  fileprivate func rows(of words: [String]) -> Set<UInt32> {
    Set(words.compactMap { row(of: Array($0.utf8)).map { UInt32($0) } })
  }
}
