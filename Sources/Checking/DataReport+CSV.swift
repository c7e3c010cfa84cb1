internal import Ingest
package import Text

extension DataReport {
  /// The report as CSV, with one row for each figure. The column `source` contains the source or the ranking,
  /// and the column `name` contains the rule, the column of the export, or the expectation. Example rows and
  /// the most frequent values are left out.
  package var csv: CSVText {
    var csv = CSVText()
    csv.append(header: ["part", "source", "name", "figure", "value"])
    func add(_ part: String, _ source: String, _ name: String, _ figures: [(String, Any?)]) {
      for case (let figure, let value?) in figures {
        csv.append(plain: part)
        csv.append(text: source)
        csv.append(text: name)
        csv.append(plain: figure)
        if let text = value as? String { csv.append(text: text) } else { csv.append(plain: "\(value)") }
        csv.endRow()
      }
    }
    for source in sources {
      add(
        "rows", source.name, "",
        [
          ("read", source.read), ("kept", source.kept), ("rejected", source.rejected),
          ("dangling", source.dangling), ("not_allowed", source.notAllowed), ("merged", source.merged),
          ("later", source.later), ("ignored", source.ignored), ("expired", source.expired),
          ("left_out", source.leftOut), ("newest", source.newest),
        ])
      for rule in source.rules { add("rule", source.name, rule.rule, [(rule.outcome, rule.rows)]) }
      for column in source.columns {
        add(
          "column", source.name, column.name,
          [
            ("missing", column.missing), ("distinct", column.distinct), ("true", column.set),
            ("minimum", column.numbers?.minimum), ("median", column.numbers?.median),
            ("mean", column.numbers?.mean), ("maximum", column.numbers?.maximum), ("first", column.first),
            ("last", column.last),
          ])
      }
    }
    for reach in reach {
      add(
        "reach", reach.ranking, "",
        [
          ("within_km", reach.kilometers), ("users", reach.users), ("sampled", reach.sampled),
          ("with_none", reach.withNone), ("p10", reach.tenthPercentile), ("median", reach.median),
          ("p90", reach.ninetiethPercentile),
        ])
    }
    for expectation in expectations {
      add(
        "expectation", expectation.source, expectation.expectation,
        [(expectation.outcome.rawValue, expectation.found)])
    }
    return csv
  }

  /// Returns the lines of the report in `format`.
  package func lines(_ format: ResultFormat) -> [String] {
    switch format {
    case .text(let width): text(width: width)
    case .json: [String(decoding: json.dropLast(), as: UTF8.self)]
    case .csv: csv.rows
    }
  }
}
