/// The users of whom the funnel counts candidates: all who have lists, or some evenly over the table where these are many.
struct FunnelSample: Sendable {
  /// Up to how many users are all counted.
  static let most = 10_000
  /// About how many are counted of more: enough to tell shares of pairs to a percent. To count all of 20 000 took a tenth of the
  /// time of their search.
  static let size = 2_000

  /// By row.
  private let isCounted: [Bool]

  /// - Parameters:
  ///   - users: Rows of the table.
  ///   - hasLists: Whether the user at a row has lists: others are never counted.
  init(users: Int, hasLists: (_ user: Int) -> Bool) {
    let rows = (0..<users).filter(hasLists)
    let step = rows.count <= Self.most ? 1 : rows.count / Self.size
    var isCounted = [Bool](repeating: false, count: users)
    for place in stride(from: 0, to: rows.count, by: step) { isCounted[rows[place]] = true }
    self.isCounted = isCounted
  }

  func contains(_ user: Int) -> Bool { isCounted[user] }
}
