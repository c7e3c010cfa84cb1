internal import RunSchemas
internal import Text

extension Section {
  /// Shows the results of the pipeline's ranking for groups of users; `nil` if the run
  /// was not evaluated.
  static func slices(_ run: ReportedRun) -> Section? {
    guard run.metrics != nil else { return nil }
    var blocks: [Block] = [
      .paragraph(
        """
        This section covers only the pipeline’s own ranking. It hides groups of fewer than \(.count(Disclosure.leastPeople)) users, \
        and figures that rely on fewer users. If all groups were alike, about one in twenty would still differ from the others by \
        chance.
        """)
    ]
    for ranking in run.judged {
      if run.judged.count > 1 { blocks.append(.heading(Words(data: ranking.name))) }
      let slicings = ReportedSlicing.all(of: ranking)
      blocks += slicings.flatMap(\.blocks)
      if slicings.isEmpty { blocks.append(.note("Every group is too small to show.")) }
    }
    return Section(id: "slices", title: "Groups of users", blocks: blocks)
  }
}

/// One division of the users into groups, such as by age of the account, with the results for each group of
/// at least ten users.
struct ReportedSlicing: Sendable {
  let ranking: JudgedRanking
  let name: String
  private let slices: [JSONValue]
  /// The axis range that all charts of the ranking share. Equal lengths therefore mean equal differences in
  /// all charts.
  private let axis: ClosedRange<Double>
  /// The number of non-empty groups that are too small to show.
  private let hidden: Int

  /// Returns the slicings of `ranking` that have at least one group to show, in display order.
  static func all(of ranking: JudgedRanking) -> [ReportedSlicing] {
    let all = ranking.figures["slices"]?.members ?? [:]
    let metric = ranking.slicedMetric
    let chance = chance(ranking)
    let ends = all.values.flatMap(\.elements).filter {
      ($0[metric]?["users"]?.integerValue ?? 0) >= Disclosure.leastPeople
    }
    .compactMap { Estimate($0[metric]).interval }.flatMap { [$0.low, $0.high] }
    let axis = min(ends.min() ?? chance, chance)...max(ends.max() ?? chance, chance)
    return all.map { ReportedSlicing(ranking, $0.key, $0.value, axis) }
      .filter { !$0.slices.isEmpty }.sorted { ($0.order, $0.name) < ($1.order, $1.name) }
  }

  /// Returns the value of the charted metric by chance: an AUC of 0.5, or the nDCG of random lists.
  private static func chance(_ ranking: JudgedRanking) -> Double {
    ranking.hasLikesAlone ? ranking.estimate("random", ranking.slicedMetric).mean ?? 0 : 0.5
  }

  private init(_ ranking: JudgedRanking, _ name: String, _ value: JSONValue, _ axis: ClosedRange<Double>) {
    (self.ranking, self.name, self.axis) = (ranking, name, axis)
    let all = value.elements.filter { ($0["users"]?.integerValue ?? 0) > 0 }
    slices = all.filter { ($0["users"]?.integerValue ?? 0) >= Disclosure.leastPeople }
    hidden = all.count - slices.count
  }

  /// The sort position. The slicings that every pipeline can have precede the categories of the pipeline
  /// file.
  private var order: Int {
    ["learning_interactions", "candidates_in_reach", "account"].firstIndex(of: name) ?? 3
  }

  private var title: Words {
    switch name {
    case "learning_interactions": "By number of earlier interactions"
    case "candidates_in_reach": "By number of candidates within reach"
    case "account": "By age of the account"
    default: "By \(name)"
    }
  }

  private var finding: String { "ndcg@\(ranking.longest)" }

  private func label(_ slice: JSONValue) -> String {
    let text = slice["slice"]?.stringValue ?? ""
    return order < 3 ? text.replacing("-", with: "–") : text
  }

  var blocks: [Block] {
    var blocks: [Block] = [.figure(figure)]
    if hidden > 0 {
      blocks.append(
        .paragraph(
          "This table omits \(hidden, "group") with fewer than \(.count(Disclosure.leastPeople)) users.")
      )
    }
    return blocks
  }

  private var table: Table {
    let hasAreas = !ranking.hasLikesAlone
    let hasBaseline =
      hasAreas && slices.contains { $0["auc_less_createml"] != nil } && !ranking.isPipelinesOwn("createml")
    var table = Table(
      "\(ranking.name), \(name): means with 95 % bootstrap intervals, resampled by user; the last column is the AUC minus the AUC of the Create ML regression",
      [
        .text("Group"), .number("Users"), .number(Wording.metric(finding)),
      ] + (hasAreas ? [.number("AUC")] : []) + (hasBaseline ? [.number("AUC minus Create ML")] : []))
    if !hasBaseline {
      table.caption = "\(ranking.name), \(name): means with 95 % bootstrap intervals, resampled by user"
    }
    for slice in slices {
      var cells: [Table.Cell] = [
        .init(data: label(slice)), .init(.count(slice["users"]?.integerValue ?? 0)),
        cell(Estimate(slice[finding]), Figure.metric),
      ]
      if hasAreas { cells.append(cell(Estimate(slice["auc"]), Figure.metric)) }
      if hasBaseline {
        cells.append(cell(Estimate(slice["auc_less_createml"]), Figure.difference, isDifference: true))
      }
      table.add(cells)
    }
    return table
  }

  private func cell(_ estimate: Estimate, _ figure: (Double) -> Figure, isDifference: Bool = false)
    -> Table.Cell
  {
    guard let mean = estimate.mean, estimate.users >= Disclosure.leastPeople else { return .none }
    let excludes = estimate.interval.map { !$0.contains(0) } ?? false
    return Table.Cell(
      Words(figure(mean)).strong(isDifference && excludes), below: estimate.interval?.words(figure) ?? Words()
    )
  }

  private var figure: ChartFigure {
    let metric = ranking.slicedMetric
    let title = Wording.metric(metric)
    var data = ChartData("group", "users", ranking.hasLikesAlone ? "ndcg" : "auc", "low", "high")
    var rows: [RowChart.Row] = []
    for slice in slices {
      let estimate = Estimate(slice[metric])
      guard let mean = estimate.mean, let interval = estimate.interval,
        estimate.users >= Disclosure.leastPeople
      else { continue }
      data.add(
        .string(label(slice)), .integer(slice["users"]?.integerValue ?? 0), .number(mean),
        .number(interval.low),
        .number(interval.high))
      rows.append(
        RowChart.Row(name: label(slice), marks: [.point(mean, interval: (interval.low, interval.high))]))
    }
    let chance = Self.chance(ranking)
    let overall = ranking.estimate("pipeline", metric).mean ?? chance
    let meaning: Words = ranking.hasLikesAlone ? "the value of random lists" : "chance"
    return ChartFigure(
      name: "slices-\(name.fileName)-\(ranking.name.fileName)", title: self.title,
      description: """
        A point per group marks the \(title), and a line spans its 95 % interval. Vertical lines mark the \(title) of all users, \
        \(.metric(overall)), and \(.metric(chance)), which is \(meaning).
        """,
      data: data,
      chart: RowChart(
        rows: rows, title: title,
        lines: [(value: chance, isDashed: true), (value: overall, isDashed: false)],
        contained: [axis.lowerBound, axis.upperBound]),
      table: table)
  }
}
