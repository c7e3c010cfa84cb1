internal import PipelineFile
internal import Text

extension Section {
  /// The caveats of a run, derived from its numbers.
  ///
  /// - Throws: `FileError` if the run cannot be read.
  static func caveats(_ run: ReportedRun, previous: EarlierRun) throws -> Section {
    let drift: Drift? =
      if case .read(let earlier) = previous {
        Drift(from: earlier, to: run, titles: (earlier.title, run.title))
      } else { nil }
    var caveats: [Words] = []
    if let freshness = try Freshness(run), freshness.isOld {
      caveats.append(
        """
        The exports are old: their newest interaction was \(.number(freshness.days, decimals: 1)) days old when the run was made.
        """)
    }
    for list in run.lists where list.users > 0 && list.users < Self.fewUsers {
      caveats.append(
        "There are only \(list.users, "user") of \(list.ranking.name): every share of them is coarse.")
    }
    for ranking in run.judged { caveats += Self.caveats(ranking, run) }
    caveats += Self.caveats(profiles: run)
    if let drift { caveats += drift.words }
    if run.judged.contains(where: { $0.verdict != .tooFewUsers }) {
      caveats.append(
        """
        An evaluation looks back: users could only like candidates that the app showed them. A better candidate that it did \
        not show counts as a miss, so methods that resemble the app’s own ranking look better than they are.
        """)
    }
    var blocks: [Block] = caveats.isEmpty ? [] : [.list(caveats)]
    switch previous {
    case .none:
      blocks.append(
        .paragraph("There is no earlier complete run to compare with: whether anything drifts is not known."))
    case .unreadable(let number):
      blocks.append(
        .paragraph(
          "Run \(.count(number)), the one before, is not compared: this version of the program cannot read it."
        ))
    case .read: if let drift { blocks.append(.table(drift.table)) }
    }
    return Section(id: "caveats", title: "What to be careful with", blocks: blocks)
  }

  /// The number of users below which shares and means are coarse.
  static let fewUsers = 100
  /// The width of an AUC interval above which the interval is hardly informative.
  static let wideArea = 0.1
  /// The share from which a caveat is worth mentioning.
  static let worthTelling = 0.1

  private static func caveats(_ ranking: JudgedRanking, _ run: ReportedRun) -> [Words] {
    var caveats: [Words] = []
    let area = ranking.estimate("pipeline", "auc")
    if area.users < fewUsers {
      caveats.append(
        "\(ranking.name) is judged by the order of likes and passes of few users: \(Disclosure.people(area.users))."
      )
    }
    if let interval = ranking.interval(area), area.users >= Disclosure.leastPeople,
      interval.high - interval.low > wideArea
    {
      caveats.append(
        """
        The interval of the AUC of \(ranking.name) is wide, \(interval.words(Figure.metric)): differences smaller than that cannot \
        be seen.
        """)
    }
    if ranking.clusters == nil {
      caveats.append(
        "Intervals of \(ranking.name) treat users as independent, as there are too few clusters of neighbours: they may be too narrow."
      )
    }
    let decisions = ranking.figures["decisions"]
    let users = ranking.figures["users"]
    if let likes = decisions?["likes"]?.integerValue, let reachable = users?["reachable_likes"]?.integerValue,
      likes > 0,
      Double(likes - reachable) > worthTelling * Double(likes)
    {
      caveats.append(
        """
        \(.share(Double(likes - reachable) / Double(likes))) of later likes in \(ranking.name) are of candidates who were not \
        eligible at the cut: no list could have held them.
        """)
    }
    if let all = users?["with_likes"]?.integerValue,
      let without = users?["with_likes_without_list"]?.integerValue, all > 0,
      Double(without) > worthTelling * Double(all)
    {
      caveats.append(
        "\(.share(Double(without) / Double(all))) of the users who liked a candidate later had an empty list of \(ranking.name)."
      )
    }
    let lost = ["of_later_users", "with_later_candidates", "decided_before", "not_the_latest"]
      .reduce(0) { $0 + (decisions?[$1]?.integerValue ?? 0) }
    if let all = decisions?["interactions"]?.integerValue, all > 0, Double(lost) > worthTelling * Double(all)
    {
      caveats.append(
        """
        \(.share(Double(lost) / Double(all))) of what happened after the cut does not count for \(ranking.name): it is of users or \
        with candidates who did not exist at the cut, or was decided before, or again.
        """)
    }
    if let own = MethodCalibration(ranking, "pipeline"), !own.bins.isEmpty,
      !own.isCalibrated || own.isWorseThanBaseRate
    {
      caveats.append("Scores of \(ranking.name) are no probabilities: see ‘Are predictions right?’.")
    }
    return caveats
  }

  private static func caveats(profiles run: ReportedRun) -> [Words] {
    (run.metrics?["split"]?["entities"]?.members ?? [:]).sorted { $0.key < $1.key }.compactMap {
      entity, counts in
      guard let all = counts["as_of_cut"]?.integerValue,
        let unknown = counts["unknown_profile"]?.integerValue, all > 0,
        Double(unknown) > worthTelling * Double(all)
      else { return nil }
      return """
        \(.share(Double(unknown) / Double(all))) of \(entity) changed after the cut, and nothing tells how they were before: the \
        evaluation takes them as \(run.metrics?["split"]?["later_profiles"]?.stringValue ?? "unknown").
        """
    }
  }
}
