internal import RunSchemas
internal import Text

/// The tables, charts and conclusions that compare the pipeline's ranking with the other methods.
struct MethodTable {
  let ranking: JudgedRanking
  /// The main list metric: nDCG at the greatest list length.
  let finding: String

  init(_ ranking: JudgedRanking) {
    self.ranking = ranking
    finding = "ndcg@\(ranking.longest)"
  }

  /// The metrics of the main table and its charts.
  var metrics: [String] {
    (ranking.hasLikesAlone ? [finding] : [finding, "auc"]) + (ranking.isJudgedByMatches ? ["match_auc"] : [])
  }

  var table: Table {
    let between: Words =
      ranking.clusters.map {
        "95 % bootstrap intervals, resampled by cluster (\($0, "cluster") of users who share candidates)"
      } ?? "95 % bootstrap intervals, resampled by user"
    var table = Table(
      """
      \(ranking.name): the mean of each method, and the pipeline minus the method, with \(between). A difference is bold if its \
      interval excludes 0.
      """,
      [.text("Method")]
        + metrics.flatMap { metric in
          [.number(Wording.metric(metric)), .number("Difference in \(Wording.metric(metric))")]
        })
    for method in ranking.methods {
      // The short names of these three methods describe them fully.
      let title = ["pipeline", "nearest", "random"].contains(method) ? "" : ranking.title(method)
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
    if ranking.isPipelinesOwn(method) { return "same as the pipeline" }
    let estimate = ranking.difference(method, metric)
    guard let mean = estimate.mean, estimate.users >= Disclosure.leastPeople else { return .none }
    let interval = ranking.interval(estimate)
    return Table.Cell(
      Words(.difference(mean)).strong(interval.map { !$0.contains(0) } ?? false),
      below: interval?.words(Figure.difference) ?? Words())
  }

  /// Returns the conclusion of the declared tests for `metric`, as the end of a sentence.
  func conclusion(_ metric: String) -> Words {
    let tests = ranking.tests.filter { $0.metric == metric }
    func names(_ sign: Int) -> Words? {
      let names = tests.filter { $0.sign == sign }.map { Words(data: Wording.method($0.method)) }
      return names.isEmpty ? nil : names.joined(separator: ", ")
    }
    let results = [("better than", 1), ("worse than", -1), ("not significantly different from", 0)].compactMap
    {
      words, sign in
      names(sign).map { "\(words) \($0)" as Words }
    }
    return results.isEmpty
      ? "no other method was evaluated." : "the pipeline is " + results.joined(separator: "; ") + "."
  }

  /// The conclusion of the declared tests for each task. Without later passes, the text has no conclusion
  /// about ordering likes before passes. Only a ranking in the mutual order has a conclusion about matches.
  var conclusion: Words {
    "In finding later likes: " + conclusion(finding)
      + (ranking.hasLikesAlone ? "" : " In ordering likes before passes: " + conclusion("auc"))
      + (ranking.isJudgedByMatches
        ? " In ordering matches before other decisions: " + conclusion("match_auc") : "")
      + " A method counts as better or worse only if two checks agree: a test that was declared in advance, with Holm’s correction, and the interval over clusters. With fewer than five clusters, there is no such interval, and the test alone decides."
  }

  /// The table of the comparisons that were declared in advance, with their p-values and effect sizes.
  var tests: Table {
    var table = Table(
      "\(ranking.name): declared tests of the pipeline minus the method",
      [
        .text("Method"), .text("Metric"), .number("Difference"), .number("p (Holm)"), .number("Effect size"),
        .number("Users"),
      ])
    for test in ranking.tests
    where test.users >= Disclosure.leastPeople && !(ranking.hasLikesAlone && test.metric == "auc") {
      table.add(
        .init(data: Wording.method(test.method)), .init(data: Wording.metric(test.metric)),
        .init(test.difference.map(Figure.difference)), .init(test.adjustedP.map(Figure.probability)),
        .init(test.effectSize.map { .number($0, decimals: 2) }), .init(.count(test.users)))
    }
    return table
  }

  /// All metrics, with one table per list length.
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

  /// Returns a chart of the differences between the pipeline and each other method in `metric`, as points
  /// with intervals.
  func chart(_ metric: String) -> ChartFigure {
    let results: [(name: String, color: ChartColor)] = [
      ("the pipeline is better", .third), ("the method is better", .second),
      ("no significant difference", .sixth),
    ]
    var data = ChartData("method", "difference", "low", "high", "result")
    var rows: [RowChart.Row] = []
    for method in ranking.methods where method != "pipeline" && !ranking.isPipelinesOwn(method) {
      let estimate = ranking.difference(method, metric)
      guard let mean = estimate.mean, estimate.users >= Disclosure.leastPeople,
        let interval = ranking.interval(estimate)
      else { continue }
      let result = results[interval.low > 0 ? 0 : interval.high < 0 ? 1 : 2]
      data.add(
        .string(Wording.method(method)), .number(mean), .number(interval.low), .number(interval.high),
        .string(result.name))
      rows.append(
        RowChart.Row(
          name: Wording.method(method),
          marks: [.point(mean, interval: (interval.low, interval.high), result.color)]))
    }
    let name = Wording.metric(metric)
    return ChartFigure(
      name: "\(metric.prefix { $0 != "@" })-differences-" + ranking.name.fileName,
      title: "\(ranking.name): \(name) difference, pipeline minus each other method",
      description:
        "A point per method marks the mean difference, and a line spans its 95 % interval. Right of 0, the pipeline is better. By the declared tests, "
        + conclusion(metric),
      data: data,
      chart: RowChart(
        rows: rows, title: "difference of \(name)", legend: results.map { ($0.name, $0.color) },
        lines: [(value: 0, isDashed: false)]),
      table: differences(metric))
  }

  private func differences(_ metric: String) -> Table {
    var table = Table(
      "\(ranking.name): \(Wording.metric(metric)) difference, pipeline minus the method",
      [.text("Method"), .number("Difference"), .number("95 % interval")])
    for method in ranking.methods where method != "pipeline" && !ranking.isPipelinesOwn(method) {
      let estimate = ranking.difference(method, metric)
      guard let mean = estimate.mean, estimate.users >= Disclosure.leastPeople else { continue }
      table.add(
        .init(data: Wording.method(method)), .init(.difference(mean)),
        ranking.interval(estimate).map { .init($0.words(Figure.difference)) } ?? .none)
    }
    return table
  }
}

extension Estimate.Interval {
  /// Returns the interval in words, such as `0.035 to 0.060`.
  func words(_ figure: (Double) -> Figure) -> Words { "\(figure(low)) to \(figure(high))" }
}
