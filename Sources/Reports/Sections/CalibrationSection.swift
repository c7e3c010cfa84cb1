internal import RunSchemas
internal import Text

extension Section {
  /// Compares the predicted probabilities with the observed frequencies; `nil` if the run was
  /// not evaluated.
  static func calibration(_ run: ReportedRun) -> Section? {
    guard run.metrics != nil else { return nil }
    var blocks: [Block] = []
    for ranking in run.judged {
      if run.judged.count > 1 { blocks.append(.heading(Words(data: ranking.name))) }
      let methods = ranking.methods.filter { !ranking.isPipelinesOwn($0) }
        .compactMap { MethodCalibration(ranking, $0) }
      guard !ranking.hasLikesAlone else {
        blocks.append(
          .note(
            "This ranking has no calibration. Every later interaction is a like, so predicted shares of likes cannot be compared with observed ones."
          )
        )
        continue
      }
      guard let own = methods.first(where: { $0.method == "pipeline" }), !own.bins.isEmpty else {
        blocks.append(
          .note(
            "This ranking has no calibration: its model predicts no probabilities, or there are too few later decisions. Only a model of interactions with exactly two values, such as 1 and -1, predicts the probability of a like."
          )
        )
        continue
      }
      blocks.append(.paragraph(own.conclusion))
      blocks.append(.figure(figure(ranking, methods)))
      blocks.append(.table(table(ranking, methods)))
    }
    return Section(id: "calibration", title: "Are predictions right?", blocks: blocks)
  }

  private static func table(_ ranking: JudgedRanking, _ methods: [MethodCalibration]) -> Table {
    var table = Table(
      "\(ranking.name): accuracy over the \(methods.first?.decisions ?? 0, "later decision") that all these methods predict",
      [
        .text("Method"), .number("Brier"), .number("Brier of the base rate"), .number("Slope"),
        .number("Intercept"),
      ])
    for method in methods {
      table.add(
        .init(Words(data: Wording.method(method.method)).strong(method.method == "pipeline")),
        .init(method.brier.map(Figure.metric)), .init(method.brierOfBaseRate.map(Figure.metric)),
        .init(method.slope.map { .number($0, decimals: 2) }),
        .init(method.intercept.map { .number($0, decimals: 2) }))
    }
    return table
  }

  private static func figure(_ ranking: JudgedRanking, _ methods: [MethodCalibration]) -> ChartFigure {
    var data = ChartData("method", "predicted", "liked", "decisions")
    var table = Table(
      "\(ranking.name): decisions in up to ten groups by predicted probability",
      [.text("Method"), .number("Predicted"), .number("Liked"), .number("Decisions")])
    for method in methods {
      for bin in method.bins {
        let name = Wording.method(method.method)
        data.add(.string(name), .number(bin.predicted), .number(bin.liked), .integer(bin.decisions))
        table.add(
          .init(data: name), .init(.share(bin.predicted)), .init(.share(bin.liked)),
          .init(.count(bin.decisions)))
      }
    }
    return ChartFigure(
      name: "calibration-" + ranking.name.fileName,
      title: "\(ranking.name): predicted and observed share of likes",
      description: """
        One line per method passes through up to ten groups of decisions. The horizontal axis is the predicted probability, and the \
        vertical axis is the observed share of likes. On the dashed diagonal, both are equal.
        """,
      data: data,
      chart: CurveChart(
        curves: methods.map { method in
          CurveChart.Curve(
            name: Wording.method(method.method), points: method.bins.map { ($0.predicted, $0.liked) })
        }, titles: ("predicted", "liked"), hasMarks: true),
      table: table)
  }
}

/// The calibration of the predictions of one method.
struct MethodCalibration: Sendable {
  let method: String
  let decisions: Int
  let brier: Double?
  let brierOfBaseRate: Double?
  let slope: Double?
  let intercept: Double?
  /// The bins with at least ten decisions, in ascending order of the prediction.
  let bins: [(decisions: Int, predicted: Double, liked: Double)]

  /// Reads the calibration of `method`; `nil` if the method predicts no probability.
  init?(_ ranking: JudgedRanking, _ method: String) {
    guard let value = ranking.figures["methods"]?[method]?["calibration"], value != .null else { return nil }
    self.method = method
    decisions = value["decisions"]?.integerValue ?? 0
    brier = value["brier"]?.numberValue
    brierOfBaseRate = value["brier_of_base_rate"]?.numberValue
    slope = value["slope"]?.numberValue
    intercept = value["intercept"]?.numberValue
    bins = (value["bins"]?.elements ?? []).compactMap { bin in
      guard let decisions = bin["decisions"]?.integerValue, decisions >= Disclosure.leastPeople,
        let predicted = bin["mean_prediction"]?.numberValue, let liked = bin["liked"]?.numberValue
      else { return nil }
      return (decisions, predicted, liked)
    }
  }

  /// Predictions with a slope in this range count as calibrated, as do predictions with an unknown slope.
  /// With a slope of 0.8, a predicted increase of 0.1 corresponds to an observed increase of 0.08.
  static let goodSlope = 0.8...1.25

  var isCalibrated: Bool { slope.map(Self.goodSlope.contains) ?? true }

  var isWorseThanBaseRate: Bool {
    guard let brier, let brierOfBaseRate else { return false }
    return brier > brierOfBaseRate
  }

  var conclusion: Words {
    guard let slope, let brier, let brierOfBaseRate else {
      return "The calibration cannot be measured, for example because all predictions are equal."
    }
    let shape: Words =
      Self.goodSlope.contains(slope)
      ? "predicted and observed likes vary about equally"
      : slope < Self.goodSlope.lowerBound
        ? "predictions are overconfident: they vary more than observed likes"
        : "predictions are underconfident: they vary less than observed likes"
    let error: Words =
      isWorseThanBaseRate
      ? "which is worse than predicting the base rate for all users (\(.metric(brierOfBaseRate)))"
      : "compared with \(.metric(brierOfBaseRate)) for predicting the base rate for all users"
    return
      "The slope is \(.number(slope, decimals: 2)), so \(shape). The mean squared error (Brier) is \(.metric(brier)), \(error). Calibration matters only if an app shows scores or compares them between users. It does not affect the order of a list."
  }
}
