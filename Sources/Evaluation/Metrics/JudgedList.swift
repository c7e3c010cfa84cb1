/// The hits on one user's list, and the total number of items that are relevant to the user.
///
/// The relevant items are all later likes of the user, whether or not they are on the list. Without a
/// relevant item, metrics that divide by the number of relevant items have no value. A user without a list
/// counts as a user with an empty list, whose metrics are 0.
package struct JudgedList: Hashable, Sendable {
  /// Whether the item at each place is relevant, from the first place. Items do not repeat.
  package let hits: [Bool]
  /// The total number of relevant items, which is at least the number of hits.
  package let relevant: Int

  package init(hits: [Bool], relevant: Int) {
    precondition(relevant >= hits.count { $0 }, "\(relevant) relevant items are fewer than the hits")
    self.hits = hits
    self.relevant = relevant
  }

  /// Judges the list `places` against the set `relevant`. A repeated item counts at its first place.
  package init<Item: Hashable>(_ places: [Item], relevant: Set<Item>) {
    var seen: Set<Item> = []
    hits = places.map { seen.insert($0).inserted && relevant.contains($0) }
    self.relevant = relevant.count
  }

  /// Returns the number of hits in the first `k` places.
  package func hits(at k: Int) -> Int { hits.prefix(k).count { $0 } }
}
