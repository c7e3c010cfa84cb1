internal import PipelineFile
internal import Tables

/// The words that a ranking makes lists for, and whose candidate is which: `per: category`.
struct CandidateWords: Sendable {
  let vocabulary: StringColumn
  /// By candidate: the number of the word; the number of words for whoever has none.
  let numbers: [Int]

  /// - Returns: `nil` where the ranking makes one list.
  init?(_ ranking: Pipeline.Ranking, _ candidates: EntityTable) {
    guard let name = ranking.per else { return nil }
    guard let column = candidates.categories[name] else {
      preconditionFailure("the snapshot does not hold '\(name)', which '\(ranking.name)' makes lists by")
    }
    let count = column.vocabulary.count
    vocabulary = column.vocabulary
    numbers = column.codes.elements.map { $0 == CategoryColumn.missing ? count : Int($0) }
  }

  var count: Int { vocabulary.count }
}
