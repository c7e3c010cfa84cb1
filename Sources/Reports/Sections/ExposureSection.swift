internal import RunSchemas
internal import Text

extension Section {
  /// Shows the distribution of exposure among candidates, and the share of reciprocal entries; `nil` if the
  /// run was not evaluated.
  static func exposure(_ run: ReportedRun) -> Section? {
    guard run.metrics != nil else { return nil }
    var blocks: [Block] = []
    for ranking in run.judged {
      if run.judged.count > 1 { blocks.append(.heading(Words(data: ranking.name))) }
      let methods = ranking.methods.filter { !ranking.isPipelinesOwn($0) }.map { MethodExposure(ranking, $0) }
      guard let own = methods.first, own.candidates >= Disclosure.leastPeople else {
        blocks.append(.note("There are too few candidates to measure exposure."))
        continue
      }
      blocks.append(.paragraph(own.conclusion))
      blocks.append(.figure(figure(ranking, methods)))
      blocks.append(.table(spread(ranking, methods)))
      if methods.contains(where: { $0.listedBothWays != nil }) {
        blocks.append(.table(bothWays(ranking, methods)))
      }
      blocks += CandidateGroups(ranking).blocks
    }
    return Section(id: "exposure", title: "Who is shown", blocks: blocks)
  }

  private static func spread(_ ranking: JudgedRanking, _ methods: [MethodExposure]) -> Table {
    var table = Table(
      "\(ranking.name): exposure of \(methods.first?.candidates ?? 0, "candidate") in the lists as of the cut",
      [
        .text("Method"), .number("On at least one list"), .number("Never shown"), .number("Gini"),
        .number("Top 5 %"),
        .number("Median distance"),
      ])
    for method in methods {
      table.add(
        method.name, .init(method.coverage.map(Figure.share)), .init(method.neverShown.map(Figure.count)),
        .init(method.gini.map(Figure.metric)), .init(method.topTwentieth.map(Figure.share)),
        .init(method.medianDistance.map { .number($0, decimals: 0, unit: "km") }))
    }
    return table
  }

  private static func bothWays(_ ranking: JudgedRanking, _ methods: [MethodExposure]) -> Table {
    var table = Table(
      "\(ranking.name): reciprocal entries, where each user is on the other’s list, and pairs who liked each other after the cut",
      [
        .text("Method"), .number("Reciprocal entries"), .number("Later pairs"), .number("On one list"),
        .number("On both lists"),
      ])
    for method in methods {
      table.add(
        method.name, .init(method.listedBothWays.map(Figure.share)),
        method.pairs.map { .init(Disclosure.people($0)) } ?? .none,
        method.onOne.map { .init(Disclosure.people($0)) } ?? .none,
        method.onBoth.map { .init(Disclosure.people($0)) } ?? .none)
    }
    return table
  }

  private static func figure(_ ranking: JudgedRanking, _ methods: [MethodExposure]) -> ChartFigure {
    var data = ChartData("method", "candidates", "exposure")
    var curves: [CurveChart.Curve] = []
    var table = Table(
      "\(ranking.name): cumulative share of exposure, least shown candidates first",
      [.text("Candidates")] + methods.map { .number($0.title) })
    for method in methods {
      let points = method.lorenz.enumerated().map { step, exposure in
        (x: Double(step) / Double(max(method.lorenz.count - 1, 1)), y: exposure)
      }
      for point in points { data.add(.string(method.title), .number(point.x), .number(point.y)) }
      curves.append(CurveChart.Curve(name: method.title, points: points))
    }
    let steps = methods.map(\.lorenz.count).max() ?? 0
    for step in stride(from: 2, to: steps, by: 2) {
      table.add(
        ["the lower \(.share(Double(step) / Double(steps - 1)))"]
          + methods.map { .init($0.lorenz.indices.contains(step) ? .share($0.lorenz[step]) : nil) })
    }
    return ChartFigure(
      name: "exposure-" + ranking.name.fileName,
      title: "\(ranking.name): distribution of exposure",
      description: """
        The chart shows the Lorenz curve of each method. The horizontal axis is the share of candidates, least shown first, and \
        the vertical axis is their cumulative share of exposure. On the dashed diagonal, all candidates have the same exposure. \
        The further a curve lies below the diagonal, the more exposure a few candidates have.
        """,
      data: data,
      chart: CurveChart(curves: curves, titles: ("candidates, least shown first", "share of exposure")),
      table: table)
  }
}

/// The exposure of candidates in the lists of a method.
private struct MethodExposure {
  let title: String
  let isOwn: Bool
  private let value: JSONValue?

  init(_ ranking: JudgedRanking, _ method: String) {
    title = Wording.method(method)
    isOwn = method == "pipeline"
    value = ranking.figures["methods"]?[method]?["lists"]
  }

  var name: Table.Cell { .init(Words(data: title).strong(isOwn)) }
  var candidates: Int { value?["candidates"]?.integerValue ?? 0 }
  var coverage: Double? { value?["coverage"]?.numberValue }
  var neverShown: Int? { value?["never_shown"]?.integerValue }
  var gini: Double? { value?["gini"]?.numberValue }
  var medianDistance: Double? { value?["distance_km"]?["median"]?.numberValue }
  var listedBothWays: Double? { value?["listed_both_ways"]?.numberValue }
  var pairs: Int? { value?["later_matches"]?["pairs"]?.integerValue }
  var onOne: Int? { value?["later_matches"]?["on_one_list"]?.integerValue }
  var onBoth: Int? { value?["later_matches"]?["on_both_lists"]?.integerValue }
  /// The Lorenz curve: for shares of candidates in equal steps from 0 to 1, the share of all exposure that
  /// the least exposed candidates have.
  var lorenz: [Double] { (value?["lorenz"]?.elements ?? []).compactMap(\.numberValue) }

  /// The share of all exposure that the most exposed 5 % of candidates have; `nil` unless the Lorenz curve
  /// has 20 steps.
  var topTwentieth: Double? { lorenz.count == 21 ? 1 - lorenz[19] : nil }

  var conclusion: Words {
    var parts: [Words] = []
    if let coverage {
      parts.append("\(.share(coverage)) of \(candidates, "candidate") are on at least one list")
    }
    if let topTwentieth {
      parts.append("the 5 % with the most exposure have \(.share(topTwentieth)) of all exposure")
    }
    if let listedBothWays { parts.append("\(.share(listedBothWays)) of all entries are reciprocal") }
    return parts.isEmpty ? "The exposure of the candidates is unknown." : parts.joined(separator: "; ") + "."
  }
}
