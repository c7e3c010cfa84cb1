/// The pair of a user and a candidate for which a feature value is computed.
package struct FeaturePair {
  /// The row of the user.
  package var user: Int
  package var candidate: Int
  /// Kilometers between user and candidate; NaN if unknown.
  package var distance: Double
  /// The index of the learning row; `nil` for a prediction. The value for a learning row excludes the row's
  /// own outcome from the interactions that the candidate received.
  package var interaction: Int?

  package init(user: Int, candidate: Int, distance: Double, interaction: Int? = nil) {
    self.user = user
    self.candidate = candidate
    self.distance = distance
    self.interaction = interaction
  }
}
