/// The schema of a kind of interaction, needed to read its table.
package struct InteractionSchema: Hashable, Sendable {
  package var name: String
  /// The least value of a like; smaller values are passes. If `nil`, positive values are likes and negative
  /// values are passes.
  package var likedFrom: Double?

  package init(name: String, likedFrom: Double? = nil) {
    self.name = name
    self.likedFrom = likedFrom
  }
}
