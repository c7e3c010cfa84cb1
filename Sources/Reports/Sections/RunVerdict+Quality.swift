internal import PipelineFile
internal import RunSchemas

// The conclusion of the evaluation about the lists, in one sentence.

extension RunVerdict {
  typealias Quality = (check: Page.Check, sentence: Words)

  /// The verdict of the worst ranking; `nil` for a pipeline that cannot be evaluated.
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
    let area = ranking.estimate("pipeline", "auc")
    let prefix: Words = named ? "\(ranking.name): " : ""
    guard area.users >= Disclosure.leastPeople, let mean = area.mean, ranking.verdict != .tooFewUsers else {
      return (
        Page.Check(
          mark: .unknown, title: "Quality", figure: "too few users",
          meaning: "\(Disclosure.people(area.users)) users both liked and passed after the cut"),
        prefix
          + "the quality of the lists is unknown, because too few users both liked and passed after the cut"
      )
    }
    let interval = ranking.interval(area)?.words(Figure.metric)
    let figure: Words = "AUC \(.metric(mean))"
    let meaning: Words =
      "\(interval.map { "95 % interval \($0)" as Words } ?? "no interval"), over \(area.users, "user"); 0.5 is chance"
    func check(_ mark: Page.Mark, _ step: Words = Words()) -> Page.Check {
      Page.Check(mark: mark, title: "Quality", figure: figure, meaning: meaning, step: step)
    }
    let compare: Words =
      "Compare \("the pipeline with the other methods", to: "#headline"), then change its model."
    let finding = MethodTable(ranking).finding
    let ordersWorse = worse(ranking, "auc")
    let findsWorse = worse(ranking, finding)
    switch ranking.verdict {
    case .nothingLearned, .tooFewUsers:
      return (
        check(
          .bad,
          "Do not rely on the scores. Change the model, or restore an earlier generation with \(code: "nightjar rollback")."
        ),
        prefix
          + "the model learned nothing: the scores put later likes above later passes no more often than chance does"
      )
    case .beaten:
      return (
        check(.attention, compare),
        prefix
          + "the scores put later likes above later passes more often than chance does, but \(ordersWorse ?? "another method") does this better"
      )
    case .useful:
      guard let findsWorse else {
        return (
          check(.good),
          prefix
            + "the scores put later likes above later passes more often than chance does, and no other method is better"
        )
      }
      return (
        check(.attention, compare),
        prefix
          + "the scores put later likes above later passes more often than chance does, but the lists of \(findsWorse) contain more of the candidates that users liked later"
      )
    }
  }

  /// The methods that beat the pipeline in `metric`; `nil` if there are none.
  private static func worse(_ ranking: JudgedRanking, _ metric: String) -> Words? {
    let names = ranking.tests.filter { $0.metric == metric && $0.sign < 0 }
      .map { "‘\(Wording.method($0.method))’" as Words }
    return names.isEmpty ? nil : names.joined(separator: " and ")
  }
}
