internal import RunSchemas

// The conclusion of the evaluation about the lists, in one sentence.

extension RunVerdict {
  typealias Quality = (check: Page.Check, sentence: Words)

  /// The verdict of the worst ranking.
  static func quality(_ run: ReportedRun) -> Quality {
    guard run.metrics != nil else {
      return (
        Page.Check(
          mark: .unknown, title: "Quality", figure: "not evaluated",
          meaning: "the lists were not compared with later interactions"),
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
          + "the quality of the lists is unknown, because \(Disclosure.people(area.users)) users both liked and passed after the cut"
      )
    }
    let interval = ranking.interval(area)?.words(Figure.metric)
    let figure: Words = "AUC \(.metric(mean))"
    let measured: Words =
      interval.map { "AUC \(.metric(mean)), 95 % interval \($0)" }
      ?? "AUC \(.metric(mean)), without an interval"
    let meaning: Words = "\(interval ?? "no interval"), over \(area.users, "user"); 0.5 is chance"
    func check(_ mark: Page.Mark) -> Page.Check {
      Page.Check(mark: mark, title: "Quality", figure: figure, meaning: meaning)
    }
    let finding = MethodTable(ranking).finding
    let ordersWorse = worse(ranking, "auc")
    let findsWorse = worse(ranking, finding)
    switch ranking.verdict {
    case .nothingLearned, .tooFewUsers:
      return (
        check(.bad),
        prefix
          + "the model learned nothing: the scores put later likes above later passes no more often than chance does (\(measured))"
      )
    case .beaten:
      return (
        check(.attention),
        prefix
          + "the scores put later likes above later passes more often than chance does (\(measured)), but \(ordersWorse ?? "another method") does this better"
      )
    case .useful:
      guard let findsWorse else {
        return (
          check(.good),
          prefix
            + "the scores put later likes above later passes more often than chance does (\(measured)), and no other method is better"
        )
      }
      return (
        check(.attention),
        prefix
          + "the scores put later likes above later passes more often than chance does (\(measured)), but the lists of \(findsWorse) contain more of the candidates that users liked later (\(Wording.metric(finding)) \(means(ranking, finding)))"
      )
    }
  }

  /// The methods that beat the pipeline in `metric`; `nil` if there are none.
  private static func worse(_ ranking: JudgedRanking, _ metric: String) -> Words? {
    let names = ranking.tests.filter { $0.metric == metric && $0.sign < 0 }
      .map { "‘\(Wording.method($0.method))’" as Words }
    return names.isEmpty ? nil : names.joined(separator: " and ")
  }

  /// The means of the best other method and of the pipeline: `0.088 against 0.047`.
  private static func means(_ ranking: JudgedRanking, _ metric: String) -> Words {
    let better = ranking.tests.filter { $0.metric == metric && $0.sign < 0 }
      .compactMap { ranking.estimate($0.method, metric).mean }.max()
    guard let better, let own = ranking.estimate("pipeline", metric).mean else { return "" }
    return "\(.metric(better)) against \(.metric(own))"
  }
}
