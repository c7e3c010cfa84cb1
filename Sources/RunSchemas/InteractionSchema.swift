/// The schema of a kind of interaction, needed to read its table.
package struct InteractionSchema: Hashable, Sendable {
  package var name: String
  /// The minimum value of a like; smaller values are passes. If `nil`, positive values are likes and negative
  /// values are passes.
  package var likedFrom: Double?
  /// The entities of the users and the candidates; `nil` to skip the check of their numbers.
  package var entities: Entities?

  /// The names of both entities.
  package struct Entities: Hashable, Sendable {
    package var users: String
    package var candidates: String

    package init(users: String, candidates: String) { (self.users, self.candidates) = (users, candidates) }
  }

  package init(name: String, likedFrom: Double? = nil, entities: Entities? = nil) {
    self.name = name
    self.likedFrom = likedFrom
    self.entities = entities
  }
}
