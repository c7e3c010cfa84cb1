internal import RunSchemas
internal import Text

/// The tables of an evaluated ranking. Each table states the number of users that it covers, except the table
/// of differences. That table covers the users of the tables `finding` and `ordering`.
struct EvaluationTables {
  let ranking: JudgedRanking
  /// The definitions of the metrics, by the names in `metrics.json`.
  let definitions: JSONValue
  /// The number of columns of the terminal; `nil` for no limit on the length of lines.
  let width: Int?

  /// The smallest number of users in a printed slice, and of candidates in a printed group.
  private static let leastInSlice = 10

  private var longest: Int { ranking.longest }

  /// The tables, each below its title, and the definitions of their figures.
  var lines: [String] {
    let users = ranking.figures["users"]?["as_of_cut"]?.integerValue ?? 0
    let all = users == 1 ? "list of the only user" : "lists of all \(users.grouped) users"
    let parts: [(title: String, lines: [String])?] = [
      (
        "finding: do the lists of length \(ranking.figures["list_length"]?.integerValue ?? 0) contain the later likes? Means over \(ranking.estimate("pipeline", "ndcg@\(longest)").users.counted("user"))",
        finding.lines(width: width) + atOtherLengths
      ),
      ranking.hasLikesAlone
        ? nil
        : (
          "ordering: do later likes have higher scores than later passes? Means over \(ranking.estimate("pipeline", "auc").users.counted("user"))",
          ordering.lines(width: width)
        ),
      ranking.hasMatching
        ? (
          "matching: do later matches have higher scores than other answered decisions? Means over \(ranking.estimate("pipeline", "match_auc").users.counted("user"))",
          matching.lines(width: width)
        )
        : nil,
      (all, lists.lines(width: width)),
      ("difference: the pipeline minus the method", differences.lines(width: width)),
      ("slices (the pipeline's own ranking only)", slices.lines(width: width)),
      (
        "groups of candidates: their shares of the later likes, and of the exposure on lists",
        groups.lines(width: width)
      ),
      ("definitions", definitionLines),
    ]
    return parts.compactMap { $0 }.flatMap { ["", "  " + $0.title] + $0.lines }
  }

  /// A table with a row per method, at the greatest list length. Only nDCG has an interval.
  var finding: FigureTable {
    let shown = [
      ("ndcg", "nDCG"), ("precision", "precision"), ("recall", "recall"), ("capped_recall", "capped"),
      ("map", "MAP"), ("mrr", "MRR"), ("hit_rate", "hits"),
    ].map { (metric: "\($0.0)@\(longest)", title: "\($0.1)@\(longest)") }
      .filter { has($0.metric) }
    var table = FigureTable(
      columns: shown.map { $0.title + ($0.metric.hasPrefix("ndcg") ? " [95 %]" : "") })
    for method in ranking.methods {
      table.add(
        method,
        shown.map { shown in
          let estimate = ranking.estimate(method, shown.metric)
          return shown.metric.hasPrefix("ndcg") ? ranking.text(estimate, 4) : estimate.mean.text(4)
        })
    }
    return table
  }

  private func has(_ metric: String) -> Bool {
    ranking.methods.first.flatMap { ranking.figures["methods"]?[$0]?["finding"]?[metric] } != nil
  }

  /// A line per shorter list length with the metrics of the pipeline's own ranking.
  private var atOtherLengths: [String] {
    let lengths = Set(ranking.metrics.compactMap { $0.split(separator: "@").last.flatMap { Int($0) } })
    return lengths.sorted().dropLast().map { k in
      let figures = Metric.all(at: [k]).filter { has($0.name) }.map { metric in
        "\(metric.kind.rawValue) \(ranking.estimate("pipeline", metric.name).mean.text(4))"
      }
      return "    the pipeline at \(k): " + figures.joined(separator: ", ")
    }
  }

  private var definitionLines: [String] {
    let own = ranking.figures["methods"]?["pipeline"]
    return Metric.all(at: [longest]).filter { has($0.name) }.map { metric in
      "    \(metric.name): \(definitions[metric.name]?.stringValue ?? metric.definition)"
    } + areaLines + matchLines + [
      "    coverage: candidates on at least one list / eligible candidates (\((own?["lists"]?["candidates"]?.integerValue ?? 0).grouped))",
      "    exposure: sum of 1 / log2(1 + place) over the places of a candidate on all lists",
      "    both ways: places whose candidate's list contains the user / all places",
      "    intervals: 95 % of bootstrap samples\(clusterWords); p: paired t-tests, corrected by Holm's method for all tests of this ranking; effect: mean difference / standard deviation of differences",
    ]
  }

  /// The unit of the bootstrap samples. Slices have intervals over users only.
  private var clusterWords: String {
    ranking.clusters.map {
      " of \($0.grouped) clusters of users who share candidates, or of users in a table of slices"
    } ?? " of users"
  }

  /// The definitions of the figures about ordering; empty without later passes, which these figures need.
  private var areaLines: [String] {
    if ranking.hasLikesAlone { return [] }
    let own = ranking.figures["methods"]?["pipeline"]
    let withoutArea = 100 * (own?["ordering"]?["not_computable_share"]?.numberValue ?? 0)
    return [
      "    AUC: share of pairs of a user's later like and later pass in which the like has the higher score, with ties counted as half; \(withoutArea.fixed(0)) % of the users with later decisions lack likes or passes",
      "    Brier: mean of (probability of a like - outcome)²; slope: slope of the least-squares line of outcomes on probabilities, 1 means calibrated",
    ]
  }

  private var matchLines: [String] {
    ranking.hasMatching
      ? [
        "    match AUC: share of pairs of a user's later match and other answered decision in which the match has the higher score, with ties counted as half; a decision is answered if the candidate has also decided on the user; first places: users whose answered decision with the highest score is a match / all users; difference: the pipeline minus the method"
      ] : []
  }

  private var ordering: FigureTable {
    var table = FigureTable(
      columns: ["AUC [95 %]", "weighted", "Brier", "slope"])
    for method in ranking.methods {
      let estimate = ranking.estimate(method, "auc")
      let figures = ranking.figures["methods"]?[method]
      table.add(
        method,
        [
          ranking.text(estimate, 3),
          (figures?["ordering"]?["auc_weighted_mean"]?.numberValue).text(3),
          (figures?["calibration"]?["brier"]?.numberValue).text(3),
          (figures?["calibration"]?["slope"]?.numberValue).text(2),
        ])
    }
    return table
  }

  private var matching: FigureTable {
    var table = FigureTable(columns: ["match AUC [95 %]", "first places [95 %]", "difference of AUC [95 %]"])
    for (number, method) in ranking.methods.enumerated() {
      table.add(
        method,
        [
          ranking.text(ranking.estimate(method, "match_auc"), 3),
          ranking.text(ranking.estimate(method, "match_at_1"), 3),
          number == 0 ? "" : ranking.text(ranking.difference(method, "match_auc"), 3, isSigned: true),
        ])
    }
    return table
  }

  private var lists: FigureTable {
    func figures(_ method: String) -> JSONValue { ranking.figures["methods"]?[method]?["lists"] ?? .null }
    var columns = ["coverage", "never shown", "Gini", "largest load", "novelty", "median km"]
    let hasMatches = figures("pipeline")["later_matches"] != nil
    if hasMatches { columns += ["both ways", "matches found"] }
    var table = FigureTable(columns: columns)
    for method in ranking.methods {
      let lists = figures(method)
      var cells = [
        Self.percent(lists["coverage"]), lists["never_shown"]?.integerValue?.grouped ?? "-",
        (lists["gini"]?.numberValue).text(3), (lists["largest_load"]?.integerValue ?? 0).grouped,
        (lists["novelty"]?.numberValue).text(2),
        lists["distance_km"]?["median"]?.numberValue.map { $0.fixed(1) } ?? "-",
      ]
      if hasMatches {
        let matches = lists["later_matches"]
        let (found, pairs) = (matches?["on_one_list"]?.integerValue, matches?["pairs"]?.integerValue)
        cells += [
          Self.percent(lists["listed_both_ways"]), "\((found ?? 0).grouped) of \((pairs ?? 0).grouped)",
        ]
      }
      table.add(method, cells)
    }
    return table
  }

  private static func percent(_ share: JSONValue?) -> String {
    share?.numberValue.map { (100 * $0).fixed(1) + " %" } ?? "-"
  }

  private var differences: FigureTable {
    let gains = ["nDCG@\(longest) [95 %]", "p of nDCG"]
    let areas = ranking.hasLikesAlone ? ["effect of nDCG"] : ["AUC [95 %]", "p of AUC", "effect of AUC"]
    var table = FigureTable(columns: gains + areas)
    for method in ranking.methods.dropFirst() {
      if ranking.isPipelinesOwn(method) {
        table.add(method, ["same as the pipeline"] + Array(repeating: "", count: areas.count + 1))
      }
      let tests = ranking.tests.filter { $0.method == method }
      guard let gain = tests.first(where: { $0.metric.hasPrefix("ndcg") }),
        let area = tests.first(where: { $0.metric == "auc" })
      else { continue }
      table.add(
        method,
        [
          ranking.text(ranking.difference(method, gain.metric), 4, isSigned: true), gain.adjustedP.pText,
        ]
          + (ranking.hasLikesAlone
            ? [gain.effectSize.text(2)]
            : [
              ranking.text(ranking.difference(method, area.metric), 3, isSigned: true), area.adjustedP.pText,
              area.effectSize.text(2),
            ]))
    }
    return table
  }

  private var slices: FigureTable {
    let gain = "ndcg@\(longest)"
    let columns = ["users", "nDCG@\(longest) [95 %]", "AUC [95 %]"]
    var table = FigureTable(columns: ranking.hasLikesAlone ? Array(columns.dropLast()) : columns)
    for (name, slices) in (ranking.figures["slices"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) {
      for slice in slices.elements {
        let users = slice["users"]?.integerValue ?? 0
        guard users >= Self.leastInSlice else { continue }
        let (found, ordered) = (Estimate(slice[gain]), Estimate(slice["auc"]))
        table.add(
          "\(name) \(ShownText.encoded(slice["slice"]?.stringValue ?? ""))".cut(to: 34),
          [users.grouped, found.users >= Self.leastInSlice ? found.text(4) : ""]
            + (ranking.hasLikesAlone ? [] : [ordered.users >= Self.leastInSlice ? ordered.text(3) : ""]))
      }
    }
    return table
  }

  /// A table with a row per group of candidates, for the pipeline's own ranking. If the ranking limits
  /// exposure, the table also covers the same order without limits.
  private var groups: FigureTable {
    let methods = ["pipeline", "without_exposure"].filter { ranking.methods.contains($0) }
    let titles = ["pipeline": "exposure", "without_exposure": "without limits"]
    var table = FigureTable(
      columns: ["candidates", "later likes", "of likes"] + methods.compactMap { titles[$0] })
    for (property, groups) in (ranking.figures["candidate_groups"]?.members ?? [:]).sorted(by: {
      $0.key < $1.key
    }) {
      for group in groups.elements {
        let candidates = group["candidates"]?.integerValue ?? 0
        guard candidates >= Self.leastInSlice else { continue }
        let shares = [group["share_of_later_likes"]] + methods.map { group["share_of_exposure"]?[$0] }
        table.add(
          "\(property) \(ShownText.encoded(group["group"]?.stringValue ?? ""))".cut(to: 34),
          [candidates.grouped, (group["later_likes"]?.integerValue ?? 0).grouped] + shares.map(Self.percent))
      }
    }
    return table
  }
}

extension JudgedRanking {
  /// The verdict as a sentence.
  var verdictSentence: String {
    let deciding = estimate("pipeline", decidingMetric)
    let metric =
      switch decidingTask {
      case .matching: "match AUC"
      case .finding: "nDCG@\(longest)"
      case .ordering: "AUC"
      }
    let figure = "\(metric) \(text(deciding, decidingTask == .finding ? 4 : 3))"
    switch verdict {
    case .tooFewUsers:
      let did =
        switch decidingTask {
        case .matching: "had both a match and another answered decision"
        case .finding: "liked a candidate"
        case .ordering: "both liked and passed"
        }
      guard decidingTask != .finding || deciding.users < JudgedVerdict.leastUsers else {
        // Earlier versions of Nightjar gave no verdict based on nDCG.
        return
          "none. The version of Nightjar that made this evaluation gave no verdict for data without passes. Evaluate the run again."
      }
      return
        "too few users for a verdict, which needs at least \(JudgedVerdict.leastUsers). Only \(deciding.users.counted("user")) \(did) after the cut."
    case .nothingLearned:
      let found =
        switch decidingTask {
        case .matching: "The scores rank later matches above other decisions no better than chance"
        case .finding: "The lists do not rank later likes significantly higher than random lists do"
        case .ordering: "The scores rank later likes above later passes no better than chance"
        }
      return "the model learned nothing. \(found): \(figure)."
    case .useful, .beaten:
      let own = tests.filter { $0.metric == decidingMetric }
      func names(_ sign: Int) -> String {
        own.filter { $0.sign == sign }.map(\.method).joined(separator: ", ")
      }
      let parts = [
        ("better than", names(1)), ("worse than", names(-1)),
        ("not significantly different from", names(0)),
      ].filter { !$0.1.isEmpty }.map { "\($0.0) \($0.1)" }.joined(separator: "; ")
      let subject =
        switch decidingTask {
        case .matching: "the scores rank later matches above other decisions"
        case .finding: "the lists contain later likes"
        case .ordering: "the scores rank later likes above passes"
        }
      return "\(subject): \(figure)." + (parts.isEmpty ? "" : " By \(metric), the pipeline is \(parts).")
    }
  }

  /// Returns the mean with the interval to report, as `Estimate.text` does.
  func text(_ estimate: Estimate, _ decimals: Int, isSigned: Bool = false) -> String {
    var reported = estimate
    reported.interval = interval(estimate)
    return reported.text(decimals, isSigned: isSigned)
  }
}

extension Estimate {
  /// Returns the mean and its interval, such as `0.781 [0.755, 0.806]`; a dash without users.
  func text(_ decimals: Int, isSigned: Bool = false) -> String {
    guard let mean else { return "-" }
    let sign = isSigned && mean >= 0 ? "+" : ""
    return sign + mean.fixed(decimals) + (interval.map { " " + $0.text(decimals) } ?? "")
  }
}

extension Estimate.Interval {
  fileprivate func text(_ decimals: Int) -> String { "[\(low.fixed(decimals)), \(high.fixed(decimals))]" }
}

extension Double? {
  func text(_ decimals: Int) -> String { self.map { $0.fixed(decimals) } ?? "-" }

  /// A p-value as text, such as `0.013` or `< 0.001`; a dash if it is missing.
  var pText: String {
    guard let self else { return "-" }
    return self < 0.001 ? "< 0.001" : self.fixed(3)
  }
}
