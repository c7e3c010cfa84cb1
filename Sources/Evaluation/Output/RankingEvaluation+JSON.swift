internal import Concurrency
internal import PipelineFile
internal import Ranking
internal import RunSchemas
internal import Text

// Creates the part of `metrics.json` about one ranking. docs/reference/metrics.md describes the keys.

extension RankingEvaluation {
  /// Returns the part of `metrics.json`. `progress` counts the methods whose intervals are computed.
  func json(
    _ declared: DeclaredTests, _ verdict: JudgedVerdict, _ progress: WorkProgress = WorkProgress()
  ) -> JSONValue {
    progress.begin("methods", total: self.methods.count)
    var methods: [String: JSONValue] = [:]
    var differences: [String: JSONValue] = [:]
    for (number, name) in self.methods.map(\.rawValue).enumerated() {
      methods[name] = method(number)
      if number > 0 { differences[name] = difference(from: number) }
      progress.add(1)
    }
    return [
      "list_length": .integer(ranking.top), "users": users.json, "decisions": decisions.counts.json,
      "methods": .object(methods), "method_order": .array(self.methods.map { .string($0.rawValue) }),
      "differences": .object(differences), "tests": .array(declared.rows.map(\.json)),
      "slices": .object(
        Dictionary(slicings.map { ($0.name, slices($0)) }, uniquingKeysWith: { first, _ in first })),
      "candidate_groups": .object(
        Dictionary(
          groupExposures.map { ($0.property, json($0)) }, uniquingKeysWith: { first, _ in first })),
      "clusters": clusters.map(JSONValue.integer) ?? .null, "verdict": .string(verdict.rawValue),
      "fit": fitted ?? .null,
      "left_out": .object(
        Dictionary(uniqueKeysWithValues: leftOut.map { ($0.key.rawValue, .string($0.value)) })),
    ]
  }

  private func method(_ number: Int) -> JSONValue {
    var finding: [String: JSONValue] = [:]
    for (index, metric) in metrics.enumerated() {
      finding[metric.name] = self.finding.estimate(method: number, metric: index).json
    }
    let computable = ordering.users.count
    let profile = profiles[number]
    var lists: [String: JSONValue] = [
      "places": .integer(profile.places), "empty": .integer(profile.emptyLists),
      "largest_load": .integer(profile.largestLoad),
      "novelty": .init(profile.novelty), "listed_both_ways": .init(profile.listedBothWays),
    ]
    if let exposure = profile.exposure {
      let spread: [String: JSONValue] = [
        "coverage": .number(exposure.coverage), "candidates": .integer(exposure.sorted.count),
        "never_shown": .integer(exposure.neverShown), "gini": .number(exposure.gini),
        "largest_share": .number(exposure.largestShare),
        "lorenz": .array(exposure.lorenz(steps: 20).map(JSONValue.number)),
      ]
      lists.merge(spread) { _, new in new }
    }
    if profile.distances.count == 3 {
      lists["distance_km"] = [
        "p10": .number(profile.distances[0]), "median": .number(profile.distances[1]),
        "p90": .number(profile.distances[2]),
      ]
    }
    if let matches {
      let found = matches.found(in: outcomes[number].lists)
      lists["later_matches"] = [
        "pairs": .integer(matches.pairs.count), "on_one_list": .integer(found.onOne),
        "on_both_lists": .integer(found.onBoth),
      ]
    }
    var judged: [String: JSONValue] = [
      "title": .string(methods[number].title), "finding": .object(finding),
      "ordering": [
        "auc": ordering.estimate(method: number, metric: 0).json,
        "auc_weighted_mean": .init(AreaUnderCurve.weightedMean(areas[number])),
        "not_computable_share": .init(
          users.withDecisions == 0
            ? nil : Double(users.withDecisions - computable) / Double(users.withDecisions)),
      ],
      "calibration": calibrations[number]?.json ?? .null, "lists": .object(lists),
    ]
    if let matching {
      judged["matching"] = .object(
        Dictionary(
          uniqueKeysWithValues: matching.metrics.enumerated().map {
            ($1, matching.estimate(method: number, metric: $0).json)
          }))
    }
    return .object(judged)
  }

  /// Returns the differences between the pipeline's ranking and another method, in every metric.
  private func difference(from other: Int) -> JSONValue {
    var values: [String: JSONValue] = [:]
    for (index, metric) in metrics.enumerated() {
      values[metric.name] = finding.difference(0, other, metric: index).json
    }
    values["auc"] = ordering.difference(0, other, metric: 0).json
    for (index, metric) in (matching?.metrics ?? []).enumerated() {
      values[metric] = matching?.difference(0, other, metric: index).json
    }
    return .object(values)
  }

  private func json(_ exposure: GroupExposure) -> JSONValue {
    let likes = exposure.groups.reduce(0) { $0 + $1.likes }
    let totals = methods.indices.map { method in
      exposure.groups.reduce(0) { $0 + $1.exposures[method] }
    }
    return .array(
      exposure.groups.map { group in
        var shares: [String: JSONValue] = [:]
        for (number, method) in methods.enumerated() {
          shares[method.rawValue] = .init(
            totals[number] == 0 ? nil : group.exposures[number] / totals[number])
        }
        return [
          "group": .string(group.name), "candidates": .integer(group.candidates),
          "later_likes": .integer(group.likes),
          "share_of_later_likes": .init(likes == 0 ? nil : Double(group.likes) / Double(likes)),
          "share_of_exposure": .object(shares),
        ]
      })
  }

  private func slices(_ slicing: Slicing) -> JSONValue {
    let longest = metrics.map(\.k).max() ?? 0
    let shown = [Metric.Formula.ndcg, .recall, .hitRate].compactMap { kind in
      metrics.firstIndex(of: Metric(kind: kind, k: longest))
    }
    return .array(
      slicing.slices.indices.map { slice in
        let finders = finding.users.map { slicing.sliceOfRow[$0] == slice }
        let orderers = ordering.users.map { slicing.sliceOfRow[$0] == slice }
        var values: [String: JSONValue] = [
          "slice": .string(slicing.slices[slice]),
          "users": .integer(slicing.sliceOfRow.count { $0 == slice }),
        ]
        for index in shown {
          values[metrics[index].name] = finding.estimate(method: 0, metric: index, where: finders).json
        }
        values["auc"] = ordering.estimate(method: 0, metric: 0, where: orderers).json
        if let baseline = self.index(of: .createml), baseline > 0 {
          values["auc_less_createml"] = ordering.difference(0, baseline, metric: 0, where: orderers).json
        }
        return .object(values)
      })
  }
}

extension JSONValue {
  /// Creates a number, or `null` for a missing or non-finite value.
  init(_ value: Double?) {
    self = value.flatMap { $0.isFinite ? .number($0) : nil } ?? .null
  }

  init(_ interval: Interval?) {
    self = interval.map { .array([.number($0.low), .number($0.high)]) } ?? .null
  }
}

extension UserTask.Estimate {
  var json: JSONValue {
    var values: [String: JSONValue] = [
      "users": .integer(users), "mean": .init(mean), "interval": .init(interval),
    ]
    if let clusterInterval { values["interval_by_cluster"] = .init(clusterInterval) }
    return .object(values)
  }
}

extension DeclaredTests.TestedDifference {
  var json: JSONValue {
    [
      "method": .string(method.rawValue), "metric": .string(metric), "users": .integer(comparison.users),
      "difference": .init(comparison.mean), "interval": .init(difference.interval),
      "interval_by_cluster": .init(difference.clusterInterval), "p": .init(comparison.pValue),
      "p_holm": .init(adjustedPValue), "effect_size": .init(comparison.effectSize),
    ]
  }
}

extension Calibration {
  var json: JSONValue {
    [
      "decisions": .integer(decisions), "brier": .number(brierScore),
      "brier_of_base_rate": .number(brierOfBaseRate), "slope": .init(slope), "intercept": .init(intercept),
      "bins": .array(
        bins.map { bin in
          [
            "decisions": .integer(bin.decisions), "mean_prediction": .init(bin.meanPrediction),
            "liked": .number(bin.liked),
          ]
        }),
    ]
  }
}

extension RankingEvaluation.Users {
  var json: JSONValue {
    [
      "as_of_cut": .integer(asOfCut), "with_decisions": .integer(withDecisions),
      "with_likes": .integer(withLikes), "with_likes_without_list": .integer(withLikesWithoutList),
      "with_likes_and_passes": .integer(withBoth), "reachable_likes": .integer(reachableLikes),
    ]
  }
}

extension LaterDecisions.Counts {
  var json: JSONValue {
    [
      "interactions": .integer(interactions), "of_later_users": .integer(ofLaterUsers),
      "with_later_candidates": .integer(withLaterCandidates), "decided_before": .integer(decidedBefore),
      "not_the_latest": .integer(notTheLatest), "taken_back": .integer(takenBack), "likes": .integer(likes),
      "passes": .integer(passes),
    ]
  }
}
