/// Why a list is shorter than asked.
///
/// Worked out as if whoever vetoed the user, and was not swiped on by the user before, did not exist: nobody may
/// conclude from a shortfall that somebody passed on them.
package enum Shortfall: String, CaseIterable, Sendable {
  /// The user has no position, and the ranking a radius.
  case noPosition = "no_position"
  /// Everybody within the radius is on the list, or there is nobody.
  case noneInRadius = "none_in_radius"
  /// The user has interacted with the others; or the ranking has no radius, and nobody else is left.
  case noneLeft = "none_left"
  /// The others' scores are not above the minimum.
  case noneAboveMinimum = "none_above_minimum"
}
