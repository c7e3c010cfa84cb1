internal import Columns
internal import Ingest
internal import RunSchemas
internal import Text

extension DataReport {
  /// Returns the report as human-readable lines, with tables of at most `width` columns. Control characters
  /// are escaped.
  func text(width: Int?) -> [String] {
    let origin = AsOf.Origin(rawValue: asOfFrom).map { ", \($0.words)" } ?? ""
    var lines = [ShownText.encoded(pipeline) + ", as of \(asOf)\(origin)"]
    let newest = sources.compactMap { source in source.newest.map { "\(source.name) \($0)" } }
    if !newest.isEmpty { lines.append(ShownText.encoded("newest rows: " + newest.joined(separator: ", "))) }
    for source in sources { lines += [""] + source.text(width: width) }
    let sections = [
      ("candidates in reach", reachLines(width)), ("expectations", expectationLines(width)),
    ]
    for (title, section) in sections where !section.isEmpty { lines += ["", title] + section }
    return lines
  }

  private func reachLines(_ width: Int?) -> [String] {
    guard !reach.isEmpty else { return [] }
    var table = TextTable([.left, .right, .right, .right, .right, .right, .right])
    table.append(["ranking", "within", "users", "with none", "p10", "median", "p90"])
    for reach in reach {
      table.append(
        [
          reach.ranking, reach.kilometers.short + " km", reach.users.grouped,
          "\(reach.withNone.grouped) (\(reach.withNone.share(of: reach.sampled)))",
          reach.tenthPercentile.grouped, reach.median.grouped, reach.ninetiethPercentile.grouped,
        ],
        (reach.sampled < reach.users ? ["from a sample of \(reach.sampled.counted("user"))"] : [])
          + (reach.withoutPosition > 0 ? ["\(reach.withoutPosition.grouped) without a position"] : []))
    }
    return table.lines(indent: 2, width: width)
  }

  private func expectationLines(_ width: Int?) -> [String] {
    var table = TextTable([.left, .left, .left])
    for expectation in expectations {
      let outcome =
        switch expectation.outcome {
        case .met: "met"
        case .violated: "VIOLATED"
        case .notChecked: "not checked"
        }
      table.append(
        [outcome, expectation.source, expectation.expectation],
        ["\(expectation.expected): \(expectation.found)"])
    }
    return table.lines(indent: 2, width: width)
  }
}

extension DataReport.Source {
  fileprivate func text(width: Int?) -> [String] {
    var lines = [ShownText.encoded("\(name), from \(filesText)")]
    var outcomes = ["\(kept.grouped) kept", "\(rejected.grouped) rejected"]
    if dangling > 0 { outcomes.append("\(dangling.grouped) dangling") }
    if notAllowed > 0 { outcomes.append("\(notAllowed.grouped) not allowed") }
    if merged > 0 { outcomes.append("\(merged.grouped) merged") }
    if let ignored, ignored > 0 { outcomes.append("\(ignored.grouped) ignored") }
    if later > 0 { outcomes.append("\(later.grouped) later") }
    if erased > 0 { outcomes.append("\(erased.grouped) erased") }
    if let expired, expired > 0 { outcomes[0] += " (\(expired.grouped) expired)" }
    lines.append("  \(read.counted("row")) read: " + outcomes.joined(separator: ", "))
    if let leftOut, leftOut > 0 {
      let byAll = (leftOutByAll ?? 0) > 0 ? ", \((leftOutByAll ?? 0).grouped) of them by every source" : ""
      lines.append("  \(leftOut.counted("other row")) left out\(byAll)")
    }
    if let positions {
      let without = positions.without > 0 ? ", \(positions.without.grouped) without a position" : ""
      lines.append("  in \(positions.cells.counted("cell"))\(without)")
    }
    if let pairs, kept > 0 {
      lines.append(
        "  \(pairs.users.counted("user")), \(pairs.candidates.counted("candidate")), "
          + "a median of \(pairs.medianPerUser.grouped) and at most \(pairs.mostPerUser.grouped) per user, "
          + "\(pairs.repeated.counted("repeated pair"))")
    }
    if read == 0 { lines.append("  no rows: check that this is the right file") }
    if !absentFields.isEmpty {
      lines.append(ShownText.encoded("  fields that no record has: \(absentFields.joined(separator: ", "))"))
    }
    return lines + ruleLines(width) + columnLines(width)
  }

  private var filesText: String {
    files.count <= 3 ? files.joined(separator: ", ") : "\(files.count.grouped) files, the first \(files[0])"
  }

  private func ruleLines(_ width: Int?) -> [String] {
    guard !rules.isEmpty else { return [] }
    var table = TextTable([.left, .right, .left, .left])
    for rule in rules {
      let words = RuleOutcome(rawValue: rule.outcome)?.words ?? rule.outcome
      let name = rule.outcome == RuleOutcome.rejected.rawValue ? rule.rule : "\(words): \(rule.rule)"
      for (index, example) in rule.examples.enumerated() {
        let place =
          (files.count > 1 ? example.file + ", " : "") + "\(example.unit) \(example.number)"
        table.append(
          [index == 0 ? name : "", index == 0 ? rule.rows.grouped : "", place, example.field],
          ["'\(example.value)'"])
      }
    }
    return [""] + table.lines(indent: 2, width: width)
  }

  private func columnLines(_ width: Int?) -> [String] {
    guard kept > 0, !columns.isEmpty else { return [] }
    var table = TextTable([.left, .left, .right])
    table.append(["column", "type", "missing"])
    for column in columns {
      table.append(
        [
          column.name, column.type.rawValue,
          column.missing == 0 ? "" : column.missing.share(of: kept),
        ], column.pieces(of: kept))
    }
    return [""] + table.lines(indent: 2, width: width)
  }
}

extension DataReport.Column {
  /// Returns the statistics of the column as phrases. The result is empty if all values are missing.
  fileprivate func pieces(of rows: Int) -> [String] {
    if missing == rows { return [] }
    switch type {
    case .number: return summary() + (top.map(shares(of: rows)) ?? [])
    case .category: return counts
    case .text: return ["\((distinct ?? 0).grouped) different"] + summary(" characters")
    case .flag: return ["\((set ?? 0).share(of: rows)) true (\((set ?? 0).grouped))"]
    case .tags: return counts + summary(" per row")
    case .intervals: return summary(" per row")
    case .time:
      guard let first, let last else { return [] }
      return ["\(first) to \(last)"]
    case .date:
      guard let first, let last else { return [] }
      return ["\(first.dateDescription) to \(last.dateDescription)"]
    }
  }

  private func summary(_ unit: String = "") -> [String] {
    guard let numbers else { return [] }
    return [
      "\(numbers.minimum.short) to \(numbers.maximum.short)\(unit)", "median \(numbers.median.short)",
      "mean \(numbers.mean.short)",
    ]
  }

  private var counts: [String] {
    var pieces = (top ?? []).map { "\($0.value.cut(to: 32)) \($0.rows.grouped)" }
    if pieces.count < (distinct ?? 0) { pieces.append("…") }
    pieces[0] = "\((distinct ?? 0).grouped) different: " + pieces[0]
    return pieces
  }

  private func shares(of rows: Int) -> ([DataReport.Count]) -> [String] {
    { top in
      (distinct ?? 0) > top.count ? [] : top.map { "\($0.value.cut(to: 32)): \($0.rows.share(of: rows))" }
    }
  }
}
