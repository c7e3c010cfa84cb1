/// What a value depends on.
package struct FeaturePair {
  /// Rows.
  package var user: Int
  package var candidate: Int
  /// Kilometers between them; NaN where unknown.
  package var distance: Double
  /// Index of the interaction that is learned from, whose own outcome is left out of what others did to the candidate; `nil`
  /// for a prediction.
  package var interaction: Int?

  package init(user: Int, candidate: Int, distance: Double, interaction: Int? = nil) {
    self.user = user
    self.candidate = candidate
    self.distance = distance
    self.interaction = interaction
  }
}
