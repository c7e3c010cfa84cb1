internal import Models
internal import PipelineFile
internal import SnapshotEditing
internal import Text

// The evaluation's terminal output. Every table states which users it covers.

extension RankingEvaluation {
  /// The ranking's tables, without a line break at the end.
  func text(_ declared: DeclaredTests, _ verdict: Verdict, _ past: Past) -> String {
    let verdict = ["", "  verdict: " + sentence(verdict, declared)]
    return (heading(past) + tables(declared) + verdict).joined(separator: "\n")
  }

  /// The tables, each below its title, and the definitions of their figures.
  func tables(_ declared: DeclaredTests) -> [String] {
    var lines = [
      "",
      "  finding: were later likes on the lists of \(ranking.top)? Over \(finding.users.count.grouped) users",
    ]
    lines += findingTable.lines
    lines += atOtherLengths
    lines += [
      "", "  ordering: are later likes scored above later passes? Over \(ordering.users.count.grouped) users",
    ]
    lines += orderingTable.lines
    lines += ["", "  lists of all \(users.asOfCut.grouped) users"]
    lines += listsTable.lines
    lines += ["", "  difference: the pipeline minus the method"]
    lines += differencesTable(declared).lines
    lines += ["", "  slices, by the pipeline's own ranking"] + slicesTable.lines
    lines += ["", "  definitions"] + definitions
    return lines
  }

  var longest: Int { metrics.map(\.k).max() ?? 0 }

  private var findingTable: FigureTable {
    FigureTable(finding: finding, metrics, methods: methods.map(\.rawValue))
  }

  /// The metrics of the pipeline's own ranking at shorter lengths.
  private var atOtherLengths: [String] {
    let lengths = Set(metrics.map(\.k)).sorted().dropLast()
    return lengths.map { k in
      let figures = metrics.enumerated().filter { $0.element.k == k }.map { index, metric in
        "\(metric.kind.rawValue) \(finding.mean(method: 0, metric: index).text(4))"
      }
      return "    the pipeline at \(k): " + figures.joined(separator: ", ")
    }
  }

  private var definitions: [String] {
    metrics.filter { $0.k == longest }.map { "    \($0.name): \($0.definition)" } + [
      "    AUC: pairs of a user's later like and later pass in which the like has the higher score / all such pairs; ties count half;",
      "      \(Self.percent(users.withDecisions - ordering.users.count, of: max(users.withDecisions, 1))) of the users with later decisions lack likes or passes",
      "    coverage: candidates on at least one list / eligible candidates (\((profiles[0].exposure?.sorted.count ?? 0).grouped)); both ways: places whose candidate's list contains the user / places",
      "    Brier: mean of (probability of a like - outcome)²; slope: slope of outcomes over probabilities, 1 is calibrated",
      "    intervals: 95 % of bootstrap samples; p: paired t-tests, corrected by Holm's method for all tests of this table",
    ]
  }

  private var orderingTable: FigureTable {
    var table = FigureTable(
      columns: [
        "AUC [95 %]", clusters.map { $0 < UserTask.leastClusters ? "" : "[by \($0.grouped) clusters]" } ?? "",
        "weighted", "Brier", "slope",
      ])
    for method in methods.indices {
      let estimate = ordering.estimate(method: method, metric: 0)
      table.add(
        methods[method].rawValue,
        [
          estimate.text(3), estimate.clusterInterval.map { $0.text(3) } ?? "",
          AreaUnderCurve.weightedMean(areas[method]).text(3), (calibrations[method]?.brierScore).text(3),
          (calibrations[method]?.slope).text(2),
        ])
    }
    return table
  }

  private var listsTable: FigureTable {
    var columns = ["coverage", "never shown", "Gini", "largest load", "novelty", "median km"]
    if matches != nil { columns += ["both ways", "matches found"] }
    var table = FigureTable(columns: columns)
    for method in methods.indices {
      let profile = profiles[method]
      var cells = [
        profile.exposure.map { (100 * $0.coverage).fixed(1) + " %" } ?? "-",
        profile.exposure.map { $0.neverShown.grouped } ?? "-", (profile.exposure?.gini).text(3),
        profile.largestLoad.grouped, profile.novelty.text(2),
        profile.distances.count == 3 ? profile.distances[1].fixed(1) : "-",
      ]
      if let matches {
        cells.append(profile.listedBothWays.map { (100 * $0).fixed(1) + " %" } ?? "-")
        cells.append(
          "\(matches.found(in: outcomes[method].lists).onOne.grouped) of \(matches.pairs.count.grouped)")
      }
      table.add(methods[method].rawValue, cells)
    }
    return table
  }

  private func differencesTable(_ declared: DeclaredTests) -> FigureTable {
    var table = FigureTable(columns: [
      "nDCG@\(longest) [95 %]", "p, Holm", "AUC [95 %]", "p, Holm", "effect size",
    ])
    for (number, method) in methods.enumerated().dropFirst() {
      if isPipelinesOwn[number] {
        table.add(method.rawValue, ["same as the pipeline", "", "", "", ""])
      }
      let rows = declared.rows.filter { $0.method == method }
      guard let gain = rows.first(where: { $0.metric.hasPrefix("ndcg") }), let area = rows.last else {
        continue
      }
      table.add(
        method.rawValue,
        [
          gain.difference.text(4, isSigned: true), gain.adjustedPValue.pText,
          area.difference.text(3, isSigned: true),
          area.adjustedPValue.pText, area.comparison.effectSize.text(2),
        ])
    }
    return table
  }

  /// The least number of users in a printed slice.
  private static let leastInSlice = 10

  private var slicesTable: FigureTable {
    var table = FigureTable(columns: ["users", "nDCG@\(longest) [95 %]", "AUC [95 %]"])
    guard let metric = metrics.firstIndex(of: Metric(kind: .ndcg, k: longest)) else { return table }
    for slicing in slicings {
      for slice in slicing.slices.indices {
        let count = slicing.sliceOfUser.count { $0 == slice }
        guard count >= Self.leastInSlice else { continue }
        let finders = finding.users.map { slicing.sliceOfUser[$0] == slice }
        let orderers = ordering.users.map { slicing.sliceOfUser[$0] == slice }
        let found = finders.count { $0 } >= Self.leastInSlice
        let ordered = orderers.count { $0 } >= Self.leastInSlice
        table.add(
          "\(slicing.name) \(ShownText.encoded(slicing.slices[slice]))".cut(to: 34),
          [
            count.grouped, found ? finding.estimate(method: 0, metric: metric, where: finders).text(4) : "",
            ordered ? ordering.estimate(method: 0, metric: 0, where: orderers).text(3) : "",
          ])
      }
    }
    return table
  }

  /// The verdict as a sentence.
  func sentence(_ verdict: Verdict, _ declared: DeclaredTests) -> String {
    let area = ordering.estimate(method: 0, metric: 0).text(3)
    switch verdict {
    case .tooFewUsers where decisions.counts.passes == 0 && decisions.counts.likes > 0:
      return "the order cannot be measured. Every later interaction is a like, that is, its value is above 0."
    case .tooFewUsers:
      return
        "too few users to measure. Only \(ordering.users.count.grouped) both liked and passed after the cut."
    case .nothingLearned:
      return
        "the model learned nothing. The scores rank later likes above later passes no better than chance: AUC \(area)."
    case .useful, .beaten:
      let areas = declared.rows.filter { $0.metric == "auc" }
      let better = areas.filter { $0.sign > 0 }
      let worse = areas.filter { $0.sign < 0 }
      let same = areas.filter { $0.sign == 0 }
      func names(_ rows: [DeclaredTests.TestedDifference]) -> String {
        rows.map(\.method.rawValue).joined(separator: ", ")
      }
      var parts = ["the scores rank later likes above passes: AUC \(area)"]
      if !better.isEmpty { parts.append("better than \(names(better))") }
      if !worse.isEmpty { parts.append("worse than \(names(worse))") }
      if !same.isEmpty { parts.append("not significantly different from \(names(same))") }
      return parts.joined(separator: "; ") + "."
    }
  }

  static func percent(_ part: Int, of whole: Int) -> String {
    (100 * Double(part) / Double(whole)).fixed(0) + " %"
  }
}

extension UserTask.Estimate {
  /// `0.781 [0.755, 0.806]`; a dash without users.
  func text(_ decimals: Int, isSigned: Bool = false) -> String {
    guard let mean else { return "-" }
    let sign = isSigned && mean >= 0 ? "+" : ""
    return sign + mean.fixed(decimals) + (interval.map { " " + $0.text(decimals) } ?? "")
  }
}

extension Interval {
  fileprivate func text(_ decimals: Int) -> String { "[\(low.fixed(decimals)), \(high.fixed(decimals))]" }
}

extension Double? {
  func text(_ decimals: Int) -> String { self.map { $0.fixed(decimals) } ?? "-" }

  /// A p value formatted for the terminal.
  var pText: String {
    guard let self else { return "-" }
    return self < 0.001 ? "< 0.001" : self.fixed(3)
  }
}
