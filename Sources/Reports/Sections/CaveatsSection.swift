internal import PipelineFile
internal import RunSchemas
internal import Text

extension Section {
  /// Returns the caveats about the figures of the run; `nil` if there are none.
  static func caveats(_ run: ReportedRun) -> Section? {
    var caveats: [Words] = []
    for list in run.lists where list.users > 0 && list.users < Self.fewUsers {
      caveats.append(
        "\(list.ranking.name) has only \(list.users, "user"), so its shares are coarse.")
    }
    for ranking in run.judged { caveats += Self.caveats(ranking) }
    caveats += Self.caveats(profiles: run)
    if run.judged.contains(where: { $0.verdict != .tooFewUsers }) {
      caveats.append(
        """
        An evaluation uses the past: users could only like candidates that the app showed them. A better candidate that the app \
        did not show counts as a miss, so methods that resemble the app’s own ranking look better than they are.
        """)
    }
    return caveats.isEmpty ? nil : Section(id: "caveats", title: "Caveats", blocks: [.list(caveats)])
  }

  /// The number of users below which shares and means count as coarse.
  static let fewUsers = 100
  /// The width above which an interval is hardly informative.
  static let wideInterval = 0.1
  /// The share above which the section mentions a problem.
  static let worthMentioning = 0.1

  private static func caveats(_ ranking: JudgedRanking) -> [Words] {
    var caveats = caveats(precisionOf: ranking) + caveats(lostLikesOf: ranking)
    if let own = MethodCalibration(ranking, "pipeline"), !own.bins.isEmpty,
      !own.isCalibrated || own.isWorseThanBaseRate
    {
      caveats.append("The scores of \(ranking.name) are not probabilities; see ‘Are predictions right?’.")
    }
    return caveats
  }

  private static func caveats(precisionOf ranking: JudgedRanking) -> [Words] {
    var caveats: [Words] = []
    let deciding = ranking.estimate("pipeline", ranking.decidingMetric)
    let metric = Wording.metric(ranking.decidingMetric)
    if deciding.users < fewUsers {
      caveats.append(
        "Few users determine the \(metric) of \(ranking.name): \(Disclosure.people(deciding.users))."
      )
    }
    if let interval = ranking.interval(deciding), deciding.users >= Disclosure.leastPeople,
      interval.high - interval.low > wideInterval
    {
      caveats.append(
        """
        The \(metric) of \(ranking.name) has a wide interval, \(interval.words(Figure.metric)). The value itself is uncertain. The \
        intervals of differences between methods are separate and can be narrower.
        """)
    }
    if ranking.clusters == nil {
      caveats.append(
        "Intervals of \(ranking.name) may be too narrow. They treat users as independent, because the users who share candidates form fewer than five clusters."
      )
    }
    return caveats
  }

  private static func caveats(lostLikesOf ranking: JudgedRanking) -> [Words] {
    var caveats: [Words] = []
    let decisions = ranking.figures["decisions"]
    let users = ranking.figures["users"]
    if let likes = decisions?["likes"]?.integerValue, let reachable = users?["reachable_likes"]?.integerValue,
      likes > 0,
      Double(likes - reachable) > worthMentioning * Double(likes)
    {
      caveats.append(
        """
        \(.share(Double(likes - reachable) / Double(likes))) of later likes in \(ranking.name) are for candidates who were not \
        eligible at the cut. No list could have contained them.
        """)
    }
    if let all = users?["with_likes"]?.integerValue,
      let without = users?["with_likes_without_list"]?.integerValue, all > 0,
      Double(without) > worthMentioning * Double(all)
    {
      caveats.append(
        "\(.share(Double(without) / Double(all))) of the users with a later like had an empty list of \(ranking.name)."
      )
    }
    let lost = ["of_later_users", "with_later_candidates", "decided_before", "not_the_latest"]
      .reduce(0) { $0 + (decisions?[$1]?.integerValue ?? 0) }
    if let all = decisions?["interactions"]?.integerValue, all > 0,
      Double(lost) > worthMentioning * Double(all)
    {
      caveats.append(
        """
        \(.share(Double(lost) / Double(all))) of the interactions after the cut do not count for \(ranking.name). For each \
        of them, the user or the candidate did not exist at the cut, the user had decided on the candidate before the cut, or a \
        later decision replaced it.
        """)
    }
    return caveats
  }

  private static func caveats(profiles run: ReportedRun) -> [Words] {
    let treatment: Words =
      run.metrics?["split"]?["later_profiles"]?.stringValue == "as_exported"
      ? "uses their current values" : "treats their values as missing"
    return (run.metrics?["split"]?["entities"]?.members ?? [:]).sorted { $0.key < $1.key }.compactMap {
      entity, counts in
      guard let all = counts["as_of_cut"]?.integerValue,
        let unknown = counts["unknown_profile"]?.integerValue, all > 0,
        Double(unknown) > worthMentioning * Double(all)
      else { return nil }
      return """
        \(.share(Double(unknown) / Double(all))) of \(entity) changed after the cut, and their earlier values are not recorded. The \
        evaluation \(treatment).
        """
    }
  }
}
