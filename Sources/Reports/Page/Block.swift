/// A part of a section, from top to bottom.
enum Block: Sendable {
  case paragraph(Words)
  case heading(Words)
  case list([Words])
  /// A paragraph that is not to be overlooked.
  case note(Words)
  case table(Table)
  case figure(ChartFigure)
  /// What a reader may open: tables of all that a chart or a short table leaves out.
  case details(Words, [Block])
  /// Terms and what they mean.
  case definitions([(term: Words, meaning: Words)])
}

/// A numbered part of a page.
struct Section: Sendable {
  /// The name by which links find it.
  var id: String
  var title: String
  var blocks: [Block]
}

extension [Block] {
  /// All charts in them, in order.
  var charts: [ChartFigure] {
    flatMap { block in
      switch block {
      case .figure(let figure): [figure]
      case .details(_, let inner): inner.charts
      default: [] as [ChartFigure]
      }
    }
  }
}
