internal import PipelineFile

extension Section {
  /// Shows a few published lists, with reasons.
  ///
  /// - Throws: `FileError` if the lists or the snapshot cannot be read.
  static func examples(_ run: ReportedRun) throws -> Section {
    var blocks: [Block] = [
      .paragraph(
        """
        These users were chosen at random among the users with at least one candidate on their list. A label, such as U1, \
        replaces each id. Distances are in whole kilometers. A reason is the contribution of a feature to the score, relative to \
        the feature’s average. Lists contain only the largest reasons.
        """)
    ]
    var examples = try ExampleLists(run, RareWords(run))
    for ranking in run.pipeline.rankings {
      // If a ranking has few users, an example could identify a person.
      guard let list = run.lists.first(where: { $0.ranking.name == ranking.name }),
        list.users >= Disclosure.leastPeople
      else { continue }
      for example in try examples.lists(of: ranking) { blocks.append(.table(table(example, ranking))) }
    }
    if blocks.count == 1 {
      blocks = [.note("This page shows no example, because all lists are empty or there are too few users.")]
    }
    return Section(id: "examples", title: "Examples", blocks: blocks)
  }

  private static func table(_ list: ExampleLists.List, _ ranking: Pipeline.Ranking) -> Table {
    let isScored = list.entries.contains { $0.score != nil }
    let word: Words = list.word.map { ", \($0)" } ?? ""
    let places: Words =
      list.entries.count == 1 ? "the first entry" : "the first \(list.entries.count, "entry", "entries")"
    var table = Table(
      "\(ranking.name) of \(list.user)\(word): \(places)",
      [.text("Rank")] + [.text("Candidate")] + (isScored ? [.number("Score")] : []) + [.number("Distance")]
        + (isScored ? [.text("Reasons")] : []))
    for entry in list.entries {
      // A contribution that is rounded to 0.000 explains nothing to a reader.
      let reasons = entry.reasons.filter { $0.contribution >= 0.0005 }.map {
        "\($0.feature) \(.difference($0.contribution))" as Words
      }
      var cells: [Table.Cell] = [.init(.count(entry.rank)), .init(data: entry.candidate)]
      if isScored { cells.append(.init(entry.score.map { .number($0, decimals: 2) })) }
      cells.append(.init(entry.distance.map { .number($0.rounded(), decimals: 0, unit: "km") }))
      if isScored { cells.append(reasons.isEmpty ? .none : .init(reasons.joined(separator: ", "))) }
      table.add(cells)
    }
    return table
  }
}
