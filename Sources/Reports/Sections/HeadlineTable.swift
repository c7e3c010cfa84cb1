internal import Tables

/// The pipeline's ranking beside each other method: in finding, and in ordering.
struct HeadlineTable {
  let ranking: JudgedRanking
  /// The metric of lists that is told first.
  let finding: String

  init(_ ranking: JudgedRanking) {
    self.ranking = ranking
    finding = "ndcg@\(ranking.longest)"
  }

  private var metrics: [String] { [finding, "auc"] }

  var table: Table {
    let between: Words =
      ranking.clusters.map { "95 % intervals over \($0, "cluster") of neighbours" }
      ?? "95 % intervals over users"
    var table = Table(
      """
      \(ranking.name): each method, and the pipeline less the method, with \(between). A difference stands out where its \
      interval excludes 0.
      """,
      [.text("Method")]
        + metrics.flatMap { metric in
          [.number(Wording.metric(metric)), .number("Pipeline less it, \(Wording.metric(metric))")]
        })
    for method in ranking.methods {
      let title = method == "pipeline" ? "" : ranking.title(method)
      var cells = [
        Table.Cell(
          Words(data: Wording.method(method)).strong(method == "pipeline"), below: Words(data: title))
      ]
      for metric in metrics {
        cells.append(mean(method, metric))
        cells.append(difference(method, metric))
      }
      table.add(cells)
    }
    return table
  }

  private func mean(_ method: String, _ metric: String) -> Table.Cell {
    let estimate = ranking.estimate(method, metric)
    guard let mean = estimate.mean, estimate.users >= Disclosure.leastPeople else { return .none }
    return Table.Cell(
      Words(.metric(mean)), below: ranking.interval(estimate)?.words(Figure.metric) ?? Words())
  }

  private func difference(_ method: String, _ metric: String) -> Table.Cell {
    guard method != "pipeline" else { return .none }
    if ranking.isPipelinesOwn(method) { return "is the pipeline’s own" }
    let estimate = ranking.difference(method, metric)
    guard let mean = estimate.mean, estimate.users >= Disclosure.leastPeople else { return .none }
    let interval = ranking.interval(estimate)
    return Table.Cell(
      Words(.difference(mean)).strong(interval.map { !$0.contains(0) } ?? false),
      below: interval?.words(Figure.difference) ?? Words())
  }

  /// What the declared tests say, in words.
  var conclusion: Words {
    let parts = [(finding, "Finding"), ("auc", "Ordering")].map { metric, name -> Words in
      let tests = ranking.tests.filter { $0.metric == metric }
      func names(_ sign: Int) -> Words? {
        let names = tests.filter { $0.sign == sign }.map { Words(data: Wording.method($0.method)) }
        return names.isEmpty ? nil : names.joined(separator: ", ")
      }
      let told = [("better than", 1), ("worse than", -1), ("not told apart from", 0)].compactMap {
        words, sign in
        names(sign).map { "\(words) \($0)" as Words }
      }
      return "\(name): " + (told.isEmpty ? "nothing to compare with" : told.joined(separator: "; ")) + ". "
    }
    return parts.reduce(Words(), +)
      + "These go by tests that were declared beforehand, corrected for being several (Holm), and by the interval over clusters."
  }

  /// All metrics, a table per length of lists.
  var everyMetric: [Table] {
    let lengths = Set(ranking.metrics.compactMap { $0.split(separator: "@").last.flatMap { Int($0) } })
      .sorted()
    return lengths.map { length in
      let metrics = ranking.metrics.filter { $0.hasSuffix("@\(length)") }
      var table = Table(
        "\(ranking.name), the first \(length, "place"): means over \(ranking.estimate("pipeline", finding).users, "user")",
        [.text("Method")] + metrics.map { .number(String(Wording.metric($0).prefix { $0 != "@" })) })
      for method in ranking.methods {
        table.add(
          [.init(data: Wording.method(method))]
            + metrics.map { metric in
              let estimate = ranking.estimate(method, metric)
              return estimate.users < Disclosure.leastPeople ? .none : .init(estimate.mean.map(Figure.metric))
            })
      }
      return table
    }
  }

  var chart: ChartFigure {
    ChartFigure(
      name: "methods-" + ranking.name.fileName,
      title: "\(ranking.name): the pipeline less each other method",
      description: conclusion, specification: { _ in .null }, table: table)
  }
}

extension Estimate.Interval {
  /// `0.035 to 0.060`.
  func words(_ figure: (Double) -> Figure) -> Words { "\(figure(low)) to \(figure(high))" }
}
