internal import Features
internal import RunSchemas

/// Works out the sums of products of one user's rows after the other: one per worker, without allocation once its buffers
/// have grown.
struct UserSums {
  let layout: CompactLayout
  private let learning: LearningRows
  private var block: LearningBlock
  private(set) var rows: CompactRows
  private(set) var compact: CompactSums
  /// Of all columns in full, after `loadInFull`.
  private(set) var full: SumsOfProducts

  init(_ learning: LearningRows, _ scales: ColumnScales) {
    self.learning = learning
    block = LearningBlock(learning.source)
    layout = CompactLayout(scales, learning.space)
    rows = CompactRows(layout)
    compact = CompactSums(layout)
    full = SumsOfProducts(order: layout.parameterCount)
  }

  /// Sums over the rows of `user`.
  mutating func load(_ user: Int) {
    block.read(learning.table.range(ofUser: user), of: user)
    rows.load(block)
    compact.load(rows)
  }

  /// The same with `full`.
  mutating func loadInFull(_ user: Int) {
    load(user)
    compact.write(to: &full)
  }
}
