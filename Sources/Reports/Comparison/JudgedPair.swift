internal import RunSchemas
internal import Text

/// The evaluations of one ranking in two runs.
struct JudgedPair: Sendable {
  let one: JudgedRanking
  let other: JudgedRanking
  let titles: (String, String)

  var blocks: [Block] {
    let metrics =
      ["ndcg", "recall", "hit_rate", "mrr"].map { "\($0)@\(min(one.longest, other.longest))" } + [
        "auc", "match_auc",
      ]
    var table = Table(
      "\(one.name): the pipeline’s own ranking in both runs, with 95 % intervals",
      [.text("Metric"), .number(titles.0), .number(titles.1), .number("Change")])
    for metric in metrics {
      let (left, right) = (one.estimate("pipeline", metric), other.estimate("pipeline", metric))
      guard left.users >= Disclosure.leastPeople, right.users >= Disclosure.leastPeople, let from = left.mean,
        let to = right.mean
      else { continue }
      let (low, high) = (one.interval(left), other.interval(right))
      let isApart = low.flatMap { low in high.map { low.high < $0.low || $0.high < low.low } } ?? false
      table.add(
        .init(data: Wording.metric(metric)),
        .init(Words(.metric(from)), below: low?.words(Figure.metric) ?? Words()),
        .init(Words(.metric(to)), below: high?.words(Figure.metric) ?? Words()),
        .init(Words(.difference(to - from)).strong(isApart)))
    }
    if table.rows.isEmpty {
      return [
        .note(
          "The evaluations of \(one.name) cannot be compared, because too few users liked a candidate after the cut."
        )
      ]
    }
    return [
      .table(table),
      .paragraph("A change is bold if the two intervals do not overlap."),
      .figure(figure), .table(others),
    ]
  }

  /// A table of further figures: the calibration of predictions, and the exposure on lists.
  private var others: Table {
    var table = Table(
      "\(one.name): predictions and lists", [.text("Figure"), .number(titles.0), .number(titles.1)])
    let rows: [(String, [String], (Double) -> Figure)] = [
      ("Brier", ["calibration", "brier"], Figure.metric), ("slope", ["calibration", "slope"], Figure.metric),
      ("candidates on at least one list", ["lists", "coverage"], Figure.share),
      ("Gini", ["lists", "gini"], Figure.metric),
      ("reciprocal entries", ["lists", "listed_both_ways"], Figure.share),
    ]
    for (name, path, figure) in rows {
      func value(_ ranking: JudgedRanking) -> Double? {
        path.reduce(ranking.figures["methods"]?["pipeline"]) { $0?[$1] }?.numberValue
      }
      if value(one) == nil, value(other) == nil { continue }
      table.add(.init(data: name), .init(value(one).map(figure)), .init(value(other).map(figure)))
    }
    return table
  }

  private var figure: ChartFigure {
    let metric =
      one.isJudgedByMatches && other.isJudgedByMatches
      ? one.decidingMetric
      : one.hasLikesAlone || other.hasLikesAlone ? "ndcg@\(min(one.longest, other.longest))" : "auc"
    let name = Wording.metric(metric)
    let column = String(metric.prefix { $0 != "@" })
    var data = ChartData("method", "run", column, "low", "high")
    var rows: [RowChart.Row] = []
    var table = Table(
      "\(one.name): \(name) of every method", [.text("Method"), .number(titles.0), .number(titles.1)])
    for method in one.methods where other.methods.contains(method) {
      let estimates = [one.estimate(method, metric), other.estimate(method, metric)]
      guard estimates.allSatisfy({ $0.users >= Disclosure.leastPeople }) else { continue }
      table.add([.init(data: Wording.method(method))] + estimates.map { .init($0.mean.map(Figure.metric)) })
      var row = RowChart.Row(name: Wording.method(method), marks: [])
      for (index, (ranking, (title, estimate))) in zip([one, other], zip([titles.0, titles.1], estimates))
        .enumerated()
      {
        guard let mean = estimate.mean, let interval = ranking.interval(estimate) else { continue }
        data.add(
          .string(Wording.method(method)), .string(title), .number(mean), .number(interval.low),
          .number(interval.high))
        row.marks.append(.point(mean, interval: (interval.low, interval.high), .series(index)))
      }
      rows.append(row)
    }
    return ChartFigure(
      name: "\(column)-" + one.name.fileName, title: "\(one.name): \(name) of every method in both runs",
      description:
        "A point per method and run marks the \(name). A line spans the 95 % interval.",
      data: data,
      chart: RowChart(
        rows: rows, title: name,
        legend: [(titles.0, ChartColor.series(0)), (titles.1, ChartColor.series(1))]),
      table: table)
  }
}
