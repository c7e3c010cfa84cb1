internal import RunSchemas
internal import Text

extension EvaluationText {
  /// The evaluation as CSV: a row per ranking, method, slice of users and metric. The rows of slices describe
  /// only the pipeline's own ranking.
  var csv: CSVText {
    var text = CSVText()
    text.append(header: [
      "ranking", "method", "sliced_by", "slice", "metric", "users", "mean", "low", "high",
    ])
    for ranking in rankings {
      for method in ranking.methods {
        for metric in ranking.metrics + ["auc"] + (ranking.hasMatching ? ["match_auc", "match_at_1"] : []) {
          append(
            ranking.estimate(method, metric), of: ranking, metric, [ranking.name, method, "", ""], to: &text)
        }
      }
      for (name, slices) in (ranking.figures["slices"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) {
        for slice in slices.elements {
          for metric in ranking.metrics + ["auc"] where slice[metric] != nil {
            append(
              Estimate(slice[metric]), of: ranking, metric,
              [ranking.name, "pipeline", name, slice["slice"]?.stringValue ?? ""], to: &text)
          }
        }
      }
    }
    return text
  }

  private func append(
    _ estimate: Estimate, of ranking: JudgedRanking, _ metric: String, _ names: [String],
    to text: inout CSVText
  ) {
    let interval = ranking.interval(estimate)
    for name in names { text.append(text: name) }
    text.append(plain: metric)
    text.append(integer: estimate.users)
    for value in [estimate.mean, interval?.low, interval?.high] {
      text.append(plain: value?.description ?? "")
    }
    text.endRow()
  }
}
