internal import PipelineFile
internal import RunSchemas
internal import Text

extension Section {
  /// Compares the pipeline's ranking with each baseline, with intervals.
  static func quality(_ run: ReportedRun) -> Section {
    var blocks: [Block] = []
    if let metrics = run.metrics {
      blocks.append(.paragraph(split(metrics)))
      for ranking in run.judged { blocks += Self.blocks(ranking, named: run.judged.count > 1) }
      let leaks = (metrics["split"]?["leaks"]?.elements ?? []).compactMap(\.stringValue)
      if !leaks.isEmpty { blocks.append(.list(leaks.map(leak))) }
      if run.judged.isEmpty { blocks.append(.note("No list of this pipeline could be evaluated.")) }
    } else {
      blocks.append(notEvaluated(run))
    }
    return Section(id: "headline", title: "How good the lists would have been", blocks: blocks)
  }

  /// Returns the note for a run without an evaluation.
  private static func notEvaluated(_ run: ReportedRun) -> Block {
    if let obstacle = run.pipeline.obstacleToEvaluation {
      return .note(Words(data: obstacle.description + ".").capitalized)
    }
    return .note(
      """
      This run was not evaluated. To evaluate every run before it is published, use \
      \(code: "nightjar run PIPELINE --evaluate"). To evaluate the last run now, run \
      \(code: "nightjar evaluate PIPELINE"), then \(code: "nightjar report PIPELINE") to update this page.
      """)
  }

  private static func split(_ metrics: JSONValue) -> Words {
    let split = metrics["split"]
    let kind = split?["interactions"]?.stringValue ?? "interactions"
    let groups = split?["groups"]?.elements ?? []
    let when: Words
    if split?["leaks"]?.elements.contains("leave_last") ?? false {
      when = "without each user’s last interactions"
    } else if groups.count == 1, let cut = groups[0]["cut_ms"]?.integerValue {
      when = "up to \(Instant(milliseconds: Int64(cut)).inWords)"
    } else {
      when = "up to a cut in each of \(groups.count, "group")"
    }
    return """
      The evaluation fitted models and made lists from the \(.count(split?["learning"]?.integerValue ?? 0)) \(kind) \(when). It \
      tested them on the \(.count(split?["test"]?.integerValue ?? 0)) later \(kind). Each method ranks the same candidates for \
      the same users.
      """
  }

  private static func leak(_ name: String) -> Words {
    switch name {
    case "leave_last":
      "This split leaks the future: the model learns from interactions of other users that happened after the tested interactions."
    case "profiles_without_updated":
      "Profiles have no update times, so their current values are used: changes after the cut leak into the evaluation."
    case "later_profiles_as_exported":
      "Profiles that changed after the cut are used with their current values, which may leak the future."
    case "groups_share_candidates":
      "Some learning interactions are later than the cut of another group, and that group is tested on the same candidates. The figures may be too optimistic."
    default: "The evaluation leaks the future: \(name)."
    }
  }

  private static func blocks(_ ranking: JudgedRanking, named: Bool) -> [Block] {
    var blocks: [Block] = named ? [.heading(Words(data: ranking.name))] : []
    let methods = MethodTable(ranking)
    let users = ranking.estimate("pipeline", methods.finding).users
    let both = ranking.estimate("pipeline", "auc").users
    guard max(users, both) >= Disclosure.leastPeople else {
      return blocks + [
        .note(
          """
          Fewer than \(.count(Disclosure.leastPeople)) users liked a candidate after the cut, which is too few to report.
          """)
      ]
    }
    let finding: Words = """
      \(Wording.metric(methods.finding)) measures whether the candidates that users liked later were on their lists, and at \
      which rank. It is the mean over \(users, "user") with a later like.
      """
    let ordering: Words =
      ranking.hasLikesAlone
      ? """
       Every later interaction is a like. Without passes, AUC cannot be computed.
      """
      : """
       AUC measures whether later likes have higher scores than later passes; 0.5 is chance. It is the mean over \
      \(both, "user") with later likes and later passes.
      """
    let matching: Words =
      ranking.isJudgedByMatches
      ? """
       The list is in the mutual order, so the AUC of matches decides the verdict. This AUC measures whether later matches have \
      higher scores than other later decisions on candidates who decided on the user too.
      """ : Words()
    blocks.append(.paragraph(finding + ordering + matching))
    blocks.append(.table(methods.table))
    blocks.append(.paragraph(methods.conclusion))
    for metric in methods.metrics {
      let chart = methods.chart(metric)
      if !chart.data.rows.isEmpty { blocks.append(.figure(chart)) }
    }
    let leftOut = (ranking.figures["left_out"]?.members ?? [:]).sorted { $0.key < $1.key }
    if !leftOut.isEmpty {
      blocks.append(
        .list(
          leftOut.map { "The method ‘\(Wording.method($0.key))’ is missing: \($0.value.stringValue ?? "")" }))
    }
    blocks.append(
      .details(
        "All metrics of all methods, and all tests",
        methods.everyMetric.map { .table($0) } + [.table(methods.tests)]))
    return blocks
  }
}
