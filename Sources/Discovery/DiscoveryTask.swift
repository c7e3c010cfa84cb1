package import RunSchemas

/// The learning interactions on which `DiscoveryChoice` compares settings, and the rules of the compared
/// lists.
package struct DiscoveryTask: Sendable {
  let table: InteractionTable
  let cut: InnerCut
  let users: EntityTable
  let candidates: EntityTable
  let usesLaterProfiles: Bool
  let radius: Double?
  let isAmongThemselves: Bool
  let seed: UInt64

  /// Creates the task of one choice.
  ///
  /// - Parameters:
  ///   - table: The learning interactions.
  ///   - cut: The kind of inner cut.
  ///   - users: The users of the interactions.
  ///   - candidates: The candidates of the interactions.
  ///   - usesLaterProfiles: Whether to use the current position of a row whose profiles are all later than
  ///     the inner cut. If false, the position of such a row is unknown.
  ///   - radius: The radius of the ranking in kilometers; `nil` if it has none.
  ///   - isAmongThemselves: Whether users and candidates are the same entity.
  ///   - seed: Selects the compared users if there are more users than `DiscoveryTrial` compares.
  package init(
    _ table: InteractionTable, _ cut: InnerCut, users: EntityTable, candidates: EntityTable,
    usesLaterProfiles: Bool, radius: Double?, isAmongThemselves: Bool, seed: UInt64
  ) {
    (self.table, self.cut, self.users, self.candidates) = (table, cut, users, candidates)
    self.usesLaterProfiles = usesLaterProfiles
    (self.radius, self.isAmongThemselves, self.seed) = (radius, isAmongThemselves, seed)
  }

  /// Whether users and candidates have positions.
  var hasPositions: Bool { users.latitude != nil && candidates.latitude != nil }
}
