package import Features
package import RunSchemas

/// The learning interactions and the rules of the lists. `DiscoveryChoice` compares settings on them.
package struct DiscoveryTask: Sendable {
  let table: InteractionTable
  let cut: InnerCut
  let positions: (users: Positions, candidates: Positions)?
  let radius: Double?
  let isAmongThemselves: Bool
  let seed: UInt64

  /// - Parameters:
  ///   - table: The learning interactions.
  ///   - cut: The kind of inner cut.
  ///   - positions: The positions of users and candidates; `nil` if either kind has none.
  ///   - radius: The radius of the ranking in kilometers; `nil` without a radius.
  ///   - isAmongThemselves: Whether users and candidates are of one kind.
  ///   - seed: Selects the compared users if there are more users than the limit.
  package init(
    _ table: InteractionTable, _ cut: InnerCut, positions: (users: Positions, candidates: Positions)?,
    radius: Double?, isAmongThemselves: Bool, seed: UInt64
  ) {
    (self.table, self.cut, self.positions) = (table, cut, positions)
    (self.radius, self.isAmongThemselves, self.seed) = (radius, isAmongThemselves, seed)
  }
}
