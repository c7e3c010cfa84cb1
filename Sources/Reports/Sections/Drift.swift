internal import PipelineFile
internal import RunSchemas

/// The changes in the main figures between two runs.
struct Drift {
  let table: Table
  /// The figures that changed enough to need an explanation.
  let changed: [(name: String, from: Figure, to: Figure)]
  /// Whether both runs had the same settings: the same pipeline file, including overrides.
  let haveSameSettings: Bool

  /// The relative change in a number above which the change counts as large.
  private static let muchOfNumber = 0.1
  /// The absolute change in a share or a metric above which the change counts as large.
  private static let muchOfShare = 0.05

  /// Compares the main figures of two runs.
  ///
  /// - Parameters:
  ///   - earlier: The run to compare with.
  ///   - later: The run whose figures are compared.
  ///   - titles: The titles of `earlier` and `later`.
  init(from earlier: ReportedRun, to later: ReportedRun, titles: (String, String)) {
    var table = Table(
      "\(titles.0) and \(titles.1). A change is bold if a number changes by more than a tenth, a share by more than 5 points, or a metric by more than 0.05.",
      [.text("Figure"), .number(titles.0), .number(titles.1), .number("Change")])
    var changed: [(name: String, from: Figure, to: Figure)] = []
    let (before, now) = (MainFigure.all(of: earlier), MainFigure.all(of: later))
    for figure in now {
      guard let old = before.first(where: { $0.name == figure.name }) else { continue }
      let change = figure.value - old.value
      let isMuch: Bool
      switch figure.kind {
      case .count: isMuch = old.value == 0 ? figure.value > 0 : abs(change) / old.value > Self.muchOfNumber
      case .share, .metric: isMuch = abs(change) > Self.muchOfShare
      }
      table.add(
        .init(data: figure.name), .init(old.figure), .init(figure.figure),
        .init(Words(figure.change(from: old)).strong(isMuch)))
      if isMuch { changed.append((figure.name, old.figure, figure.figure)) }
    }
    haveSameSettings = earlier.configurationDigest == later.configurationDigest
    (self.table, self.changed) = (table, changed)
  }
}

/// A figure that is compared between runs.
struct MainFigure: Sendable {
  enum Measure: Sendable { case count, share, metric }

  var name: String
  var kind: Measure
  var value: Double

  var figure: Figure {
    switch kind {
    case .count: .count(Int(value))
    case .share: .share(value)
    case .metric: .metric(value)
    }
  }

  func change(from other: MainFigure) -> Figure {
    let change = value - other.value
    switch kind {
    case .count: return .change(Int(change))
    case .share: return .points(change)
    case .metric: return .difference(change)
    }
  }

  static func all(of run: ReportedRun) -> [MainFigure] {
    var figures: [MainFigure] = []
    let (read, rejected) = (
      run.sources.reduce(0) { $0 + $1.read }, run.sources.reduce(0) { $0 + $1.rejected }
    )
    for source in run.sources {
      figures.append(MainFigure(name: "\(source.name) kept", kind: .count, value: Double(source.kept)))
    }
    if read > 0 {
      figures.append(MainFigure(name: "rows rejected", kind: .share, value: Double(rejected) / Double(read)))
    }
    for list in run.lists where list.users > 0 {
      figures.append(
        MainFigure(name: "users served of \(list.ranking.name)", kind: .share, value: list.shareServed))
      figures.append(
        MainFigure(name: "full lists of \(list.ranking.name)", kind: .share, value: list.shareFull))
    }
    for ranking in run.judged {
      for metric in ["ndcg@\(ranking.longest)", "auc"] + (ranking.isJudgedByMatches ? ["match_auc"] : []) {
        let estimate = ranking.estimate("pipeline", metric)
        guard let mean = estimate.mean, estimate.users >= Disclosure.leastPeople else { continue }
        figures.append(
          MainFigure(name: "\(Wording.metric(metric)) of \(ranking.name)", kind: .metric, value: mean))
      }
    }
    return figures
  }
}
