internal import Files
internal import PipelineFile
internal import RunSchemas
internal import Text

extension Section {
  /// Shows the number of users that remain at each step from the export to a full list, and the reasons for
  /// short lists.
  static func funnel(_ run: ReportedRun) -> Section {
    var blocks: [Block] = []
    for list in run.lists {
      blocks += self.blocks(list, run)
    }
    if run.lists.isEmpty { blocks.append(.note("This pipeline makes no lists for users.")) }
    let counts = run.rankings.counts
    func named(_ counts: [String: JSONValue], _ words: (Int, String) -> Words) -> [Words] {
      counts.sorted { $0.key < $1.key }.compactMap { name, count in
        count.integerValue.map { words($0, name) }
      }
    }
    let others =
      named(CatalogCounts.entries(in: counts)) { "\($0, "entry", "entries") in \($1)" }
      + named(counts["matches"]?.members ?? [:]) { "\($0, "pair") in \($1)" }
    if !others.isEmpty { blocks.append(.paragraph("The run also wrote \(others.joined(separator: ", ")).")) }
    return Section(id: "funnel", title: "From users to lists", blocks: blocks)
  }

  private static func blocks(_ list: ListCounts, _ run: ReportedRun) -> [Block] {
    let steps = FunnelSteps(list, run)
    var blocks: [Block] = [.figure(steps.chart)]
    if let withoutModel = steps.usersWithoutModel(in: run) { blocks.append(.paragraph(withoutModel)) }
    if !list.shortfalls.isEmpty { blocks.append(.table(shortfalls(list))) }
    if let limits = exposure(list) { blocks.append(.paragraph(limits)) }
    blocks.append(
      .details(
        "Why candidates are not on lists", [.table(pairs(list)), .paragraph(Self.aboutPairs)]))
    return blocks
  }

  private static let aboutPairs: Words =
    "Each pair of a user and a candidate counts once, under the first rule that excludes it. With a radius, users without a position have no pairs."

  private static func shortfalls(_ list: ListCounts) -> Table {
    var table = Table(
      "Why lists of \(list.ranking.name) are short or empty",
      [.text("Reason"), .number(list.ranking.per == nil ? "Users" : "Lists")])
    for (reason, lists) in list.shortfalls {
      table.add(.init(data: Wording.shortfall(reason)), .init(Disclosure.people(lists)))
    }
    return table
  }

  /// Returns a sentence about the effect of the limits on exposure; `nil` if there are no
  /// limits.
  private static func exposure(_ list: ListCounts) -> Words? {
    guard let limits = list.ranking.exposure, let found = list.exposure else { return nil }
    var parts: [Words] = []
    if limits.ceiling != nil {
      parts.append("\(found.atCeiling, "candidate") on as many lists as the ranking allows")
    }
    if limits.least > 0 {
      parts.append("\(found.belowFloor, "candidate") on fewer than \(limits.least, "list")")
    }
    let counts: Words = "Limits on exposure: \(parts.joined(separator: ", and "))."
    return found.shareOfValue.map {
      counts + " The total score of the lists is \(.share($0)) of the total without limits."
    } ?? counts
  }

  private static func pairs(_ list: ListCounts) -> Table {
    var table = Table(
      "Pairs of a user and a candidate, for \(list.countedUsers, "user")",
      [.text("Outcome"), .number("Pairs"), .number("Share")])
    for (rule, pairs) in list.lost + [("listed", list.listedPairs)] {
      table.add(
        rule == "listed" ? "on the list" : .init(data: Wording.lost(rule)), .init(.count(pairs)),
        .init(.share(pairs, of: list.allPairs)))
    }
    return table
  }
}

/// The steps from all users to the users with a full list.
struct FunnelSteps {
  let list: ListCounts
  /// The name of each step, and the number of remaining users. The users of a step are a part of the users of
  /// the previous step.
  let steps: [(name: String, users: Int)]
  /// The number of users without a model, whose lists are ordered by distance; `nil` if the order needs no
  /// model or the number is unknown.
  let withoutModel: Int?

  init(_ list: ListCounts, _ run: ReportedRun) {
    self.list = list
    var steps = [("all users", list.users)]
    // The counts of `index` and `fit` cover all rows of the users' entity. If the ranking has lists for only
    // some of these rows, the counts are not used.
    let entity = run.index.counts["entities"]?[list.ranking.users]
    let positioned = entity?["positioned"]?.integerValue ?? 0
    let isCounted = list.users == positioned + (entity?["without_position"]?.integerValue ?? 0)
    if isCounted, list.ranking.radiusInKilometers != nil { steps.append(("with a position", positioned)) }
    withoutModel =
      isCounted && (list.ranking.order == .score || list.ranking.order.mutual != nil)
      ? run.models(of: list.ranking).map { list.users - $0 } : nil
    steps.append(("who see at least one candidate", list.users - list.empty))
    steps.append(
      (list.ranking.per == nil ? "with a full list of \(list.ranking.top)" : "with all lists full", list.full)
    )
    self.steps = steps
  }

  /// Returns a sentence about the users without a model; `nil` if all users have one. Rankings with the same
  /// model and users share one sentence, which follows the first of their charts.
  func usersWithoutModel(in run: ReportedRun) -> Words? {
    guard let count = withoutModel, count > 0 else { return nil }
    let ranking = list.ranking
    let same = run.lists.filter {
      $0.ranking.model == ranking.model && $0.ranking.users == ranking.users
        && FunnelSteps($0, run).withoutModel == count
    }
    guard same.first?.ranking.name == ranking.name else { return nil }
    let lists: Words =
      same.count == 1
      ? "Their lists show"
      : "Their lists of \(same.map { Words(data: $0.ranking.name) }.joinedAsSentence) show"
    return "\(Disclosure.people(count)) of these users have no model. \(lists) the nearest candidates first."
  }

  var table: Table {
    var table = Table("Users of \(list.ranking.name)", [.text("Step"), .number("Users"), .number("Share")])
    for (name, users) in steps {
      table.add(.init(data: name), .init(.count(users)), .init(.share(users, of: list.users)))
    }
    return table
  }

  var chart: ChartFigure {
    var data = ChartData("step", "users")
    for (name, users) in steps { data.add(.string(name), .integer(users)) }
    return ChartFigure(
      name: "funnel-" + list.ranking.name.fileName,
      title: "From all users to full lists of \(list.ranking.name)",
      description: "One bar per step: "
        + steps.map { "\($0.name) \(.count($0.users))" as Words }.joined(separator: ", ") + ".",
      data: data,
      chart: RowChart(
        rows: steps.map { step in
          RowChart.Row(
            name: step.name, marks: [.bar(Double(step.users), text: Figure.count(step.users).text)])
        }, contained: [Double(list.users)]),
      table: table)
  }
}
