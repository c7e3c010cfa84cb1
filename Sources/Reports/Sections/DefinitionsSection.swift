internal import RunSchemas
internal import Text

extension Section {
  /// Defines the figures on the page. The definition of a share contains the denominator.
  static func definitions(_ run: ReportedRun) -> Section {
    var items: [(term: Words, meaning: Words)] = [
      ("share rejected", "rejected rows of a source / rows read from it"),
      (
        "full list",
        "a list with as many entries as the pipeline file requests; with one list per word, a user’s lists are full if each list is full"
      ),
      (
        "share of a step",
        "users at the step / all users of the ranking"
      ),
      (
        "difference",
        "mean over users of the pipeline’s value minus the other method’s value for the same user"
      ),
      (
        "bold difference",
        "the 95 % interval excludes 0; the bootstrap resamples clusters of users who share candidates, or users if there are fewer than five clusters"
      ),
    ]
    let definitions = run.metrics?["definitions"]?.members ?? [:]
    let longest = run.judged.map(\.longest).max() ?? 0
    for (name, text) in definitions.sorted(by: { $0.key < $1.key }) {
      // The page defines a list metric only for the greatest list length.
      if name.contains("@"), !name.hasSuffix("@\(longest)") { continue }
      // Metrics that no page shows need no definition.
      if ["auc_weighted_mean", "novelty"].contains(name) { continue }
      items.append((Words(data: Wording.metric(name)), Words(data: text.stringValue ?? "")))
    }
    items.append(
      (
        "fewer than \(.count(Disclosure.leastPeople))",
        "smaller groups are hidden, and smaller counts are not shown exactly"
      ))
    return Section(
      id: "definitions", title: "Definitions of the figures",
      blocks: [
        .definitions(items),
        .paragraph(
          """
          Figures are rounded for reading. The HTML source contains the exact value from the run’s files in the attribute \
          \(code: "value") of each \(code: "data") element.
          """),
      ])
  }
}
