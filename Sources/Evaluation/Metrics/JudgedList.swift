/// One user's list, judged: which of its places hold something relevant, and how much that is relevant there is.
///
/// Relevant is what the user later liked, whether it stands on the list or not. A user without anything relevant has
/// no value of any metric that divides by it; a user without a list has an empty one, and values of 0.
package struct JudgedList: Hashable, Sendable {
  /// By place, from the first: whether what stands there is relevant. Nothing stands twice.
  package let hits: [Bool]
  /// How many are relevant in all; at least as many as there are hits.
  package let relevant: Int

  package init(hits: [Bool], relevant: Int) {
    precondition(relevant >= hits.count { $0 }, "\(relevant) relevant, fewer than hits")
    self.hits = hits
    self.relevant = relevant
  }

  /// The list `places` judged against the set `relevant`. What stands twice counts where it stands first.
  package init<Item: Hashable>(_ places: [Item], relevant: Set<Item>) {
    var seen: Set<Item> = []
    hits = places.map { seen.insert($0).inserted && relevant.contains($0) }
    self.relevant = relevant.count
  }

  /// Hits on the first `k` places.
  package func hits(at k: Int) -> Int { hits.prefix(k).count { $0 } }
}
