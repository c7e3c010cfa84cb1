internal import Features
internal import RunSchemas

/// Computes the sums of products of one user's rows at a time. Each worker has its own instance, which
/// allocates memory only while its buffers grow.
struct UserSums {
  let layout: CompactLayout
  private let learning: LearningRows
  private var block: LearningBlock
  private(set) var rows: CompactRows
  private(set) var compact: CompactSums
  /// The full sums over all columns; valid only after `loadInFull`.
  private(set) var full: SumsOfProducts

  init(_ learning: LearningRows, _ scales: ColumnScales) {
    self.learning = learning
    block = LearningBlock(learning.source)
    layout = CompactLayout(scales, learning.space)
    rows = CompactRows(layout)
    compact = CompactSums(layout)
    full = SumsOfProducts(order: layout.parameterCount)
  }

  /// Computes the compact sums over the rows of `user`.
  mutating func load(_ user: Int) {
    block.read(learning.table.range(ofUser: user), of: user)
    rows.load(block)
    compact.load(rows)
  }

  /// Computes both the compact and the full sums over the rows of `user`.
  mutating func loadInFull(_ user: Int) {
    load(user)
    compact.write(to: &full)
  }
}
