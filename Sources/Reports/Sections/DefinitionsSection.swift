internal import Text

extension Section {
  /// The definition of each figure, with its denominator.
  static func definitions(_ run: ReportedRun) -> Section {
    var items: [(term: Words, meaning: Words)] = [
      ("share rejected", "rows of a source that broke a rule / rows of it that were read"),
      (
        "full list",
        "a list with as many places as the pipeline file asks for; of one list per word, all of them"
      ),
      (
        "step of the funnel",
        "users at the step / all users of the list; a step need not hold all of the next one"
      ),
      ("difference", "mean over users of the pipeline’s value less the other method’s, of the same user"),
      (
        "stands out",
        "the 95 % interval of the difference excludes 0: over clusters of neighbours where there are five or more, else over users"
      ),
    ]
    let definitions = run.metrics?["definitions"]?.members ?? [:]
    let longest = run.judged.map(\.longest).max() ?? 0
    for (name, text) in definitions.sorted(by: { $0.key < $1.key }) {
      // The page defines a metric only at its greatest length.
      if name.contains("@"), !name.hasSuffix("@\(longest)") { continue }
      // Metrics that no page shows need no definition.
      if ["auc_weighted_mean", "novelty"].contains(name) { continue }
      items.append((Words(data: Wording.metric(name)), Words(data: text.stringValue ?? "")))
    }
    items.append(
      (
        "fewer than \(.count(Disclosure.leastPeople))",
        "groups of fewer people are not shown, and where people are counted by reason, not counted exactly"
      ))
    return Section(
      id: "definitions", title: "What is divided by what",
      blocks: [
        .definitions(items),
        .paragraph(
          """
          Figures are rounded for reading; the exact value stands behind each, in the page’s own code \
          (\(code: "<data value>")), as the run’s files have it.
          """),
      ])
  }
}
