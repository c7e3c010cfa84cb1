internal import PipelineFile
internal import RunSchemas

// The conclusion of the evaluation about the lists, in one sentence.

extension RunVerdict {
  typealias Quality = (check: Page.Check, sentence: Words)

  /// Returns the verdict on the worst ranking; `nil` for a pipeline that cannot be evaluated.
  static func quality(_ run: ReportedRun) -> Quality? {
    guard run.metrics != nil else {
      if run.pipeline.obstacleToEvaluation != nil { return nil }
      return (
        Page.Check(
          mark: .unknown, title: "Quality", figure: "not evaluated",
          meaning: "the lists were not compared with later interactions",
          step: "\("Evaluate the run", to: "#headline") to learn how good its lists are."),
        "the quality of the lists is unknown, because this run was not evaluated"
      )
    }
    let all = run.judged.map { ($0, quality($0, named: run.judged.count > 1)) }
    guard let worst = all.max(by: { $0.1.check.mark < $1.1.check.mark }) else {
      return (
        Page.Check(
          mark: .unknown, title: "Quality", figure: "not evaluated", meaning: "no list could be evaluated"),
        "the quality of the lists is unknown, because no list could be evaluated"
      )
    }
    return worst.1
  }

  private static func quality(_ ranking: JudgedRanking, named: Bool) -> Quality {
    let deciding = ranking.estimate("pipeline", ranking.decidingMetric)
    let prefix: Words = named ? "\(ranking.name): " : ""
    guard deciding.users >= Disclosure.leastPeople, let mean = deciding.mean, ranking.verdict != .tooFewUsers
    else { return tooFewUsers(ranking, deciding.users, prefix) }
    let interval = ranking.interval(deciding)?.words(Figure.metric)
    let figure: Words = "\(Wording.metric(ranking.decidingMetric)) \(.metric(mean))"
    let chance: Words =
      ranking.decidingTask == .finding
      ? "random lists have \(ranking.estimate("random", ranking.decidingMetric).mean.map { Words(.metric($0)) } ?? "none")"
      : "0.5 is chance"
    let meaning: Words =
      "\(interval.map { "95 % interval \($0)" as Words } ?? "no interval"), over \(deciding.users, "user"); \(chance)"
    func check(_ mark: Page.Mark, _ step: Words = Words()) -> Page.Check {
      Page.Check(mark: mark, title: "Quality", figure: figure, meaning: meaning, step: step)
    }
    let compare: Words =
      "Compare \("the pipeline with the other methods", to: "#headline"), then change its model."
    // `good` states in which task the pipeline is better than chance. `findsWorse` names the methods that
    // find later likes better than the pipeline.
    let good: Words =
      ranking.decidingTask == .finding
      ? "the lists contain more of the candidates that users later liked than random lists do"
      : "the scores put \(Self.pair(ranking)) more often than chance does"
    let findsWorse =
      ranking.decidingTask != .ordering ? nil : worse(ranking, MethodTable(ranking).finding)
    switch ranking.verdict {
    case .nothingLearned, .tooFewUsers:
      return (
        check(
          .bad,
          "Do not rely on the scores. Change the model, or restore an earlier generation with \(code: "nightjar rollback")."
        ),
        prefix + "the model learned nothing: "
          + (ranking.decidingTask == .finding
            ? "the lists contain no more of the candidates that users later liked than random lists do"
            : "the scores put \(Self.pair(ranking)) no more often than chance does")
      )
    case .beaten:
      let better = worse(ranking, ranking.decidingMetric) ?? "another method"
      return (
        check(.attention, compare),
        prefix + good
          + (ranking.decidingTask == .finding
            ? ", but the lists of \(better) contain more" : ", but less often than \(better)")
      )
    case .useful:
      guard let findsWorse else {
        return (check(.good), prefix + good + ", and no other method is better")
      }
      return (
        check(.attention, compare),
        prefix + good
          + ", but the lists of \(findsWorse) contain more of the candidates that users liked later"
      )
    }
  }

  /// Returns the conclusion about a ranking with too few users for a verdict. `users` is the number of users
  /// over which the deciding metric is measured.
  private static func tooFewUsers(_ ranking: JudgedRanking, _ users: Int, _ prefix: Words) -> Quality {
    let did: Words =
      switch ranking.decidingTask {
      case .matching: "had both a match and another answered decision"
      case .finding: "liked a candidate"
      case .ordering: "both liked and passed"
      }
    return (
      Page.Check(
        mark: .unknown, title: "Quality", figure: "too few users",
        meaning: "\(Disclosure.people(users)) users " + did + " after the cut"),
      prefix + "the quality of the lists is unknown, because too few users " + did + " after the cut"
    )
  }

  /// Returns, in words, the decisions that should have higher scores, and the decisions that should have
  /// lower scores.
  private static func pair(_ ranking: JudgedRanking) -> Words {
    ranking.decidingTask == .matching
      ? "later matches above other decisions" : "later likes above later passes"
  }

  /// Returns the names of the methods that are significantly better than the pipeline in `metric`; `nil`
  /// without such methods.
  private static func worse(_ ranking: JudgedRanking, _ metric: String) -> Words? {
    let rivals = ranking.tests.filter { $0.method != JudgedRanking.withoutExposure }
    let names = rivals.filter { $0.metric == metric && $0.sign < 0 }
      .map { "‘\(Wording.method($0.method))’" as Words }
    return names.isEmpty ? nil : names.joined(separator: " and ")
  }
}
