/// A block of a section. Blocks are laid out from top to bottom.
enum Block: Sendable {
  case paragraph(Words)
  case heading(Words)
  case list([Words])
  /// A highlighted paragraph.
  case note(Words)
  case table(Table)
  case figure(ChartFigure)
  /// A collapsed block, for example with the complete tables behind a chart or a short table.
  case details(Words, [Block])
  /// Terms with their definitions.
  case definitions([(term: Words, meaning: Words)])
}

/// A numbered part of a page.
struct Section: Sendable {
  /// The anchor for links to the section.
  var id: String
  var title: String
  var blocks: [Block]
}

extension [Block] {
  /// All charts in the blocks, in order.
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
