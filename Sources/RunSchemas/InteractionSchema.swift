/// What has to be known of a kind of interaction to read its table.
package struct InteractionSchema: Hashable, Sendable {
  package var name: String
  /// The least value of a like, all below being passes; `nil`: above 0 is a like, under 0 a pass.
  package var likedFrom: Double?

  package init(name: String, likedFrom: Double? = nil) {
    self.name = name
    self.likedFrom = likedFrom
  }
}
