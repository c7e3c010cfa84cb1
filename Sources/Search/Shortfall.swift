/// The reason why a list is shorter than requested.
///
/// The reason is computed as if candidates who vetoed the user did not exist, unless the user had interacted
/// with them before. So a shortfall never reveals that a candidate passed on the user.
package enum Shortfall: String, CaseIterable, Sendable {
  /// The ranking has a radius, but the user has no position.
  case noPosition = "no_position"
  /// All eligible candidates within the radius are on the list, or no eligible candidate is within the radius.
  /// The user has not interacted with any excluded candidate within the radius.
  case noneInRadius = "none_in_radius"
  /// No other eligible candidate is left. The ranking has no radius, or the user has interacted with an
  /// excluded candidate in reach.
  case noneLeft = "none_left"
  /// No other eligible candidate has a score above the minimum.
  case noneAboveMinimum = "none_above_minimum"
  /// The other eligible candidates are on as many lists as the ranking's `exposure` allows.
  case exposure
}
