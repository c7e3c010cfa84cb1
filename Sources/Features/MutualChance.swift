internal import Foundation
package import PipelineFile
package import RunSchemas

/// The chance that two people like each other, from the scores of both.
///
/// The value of a decision is -1 for a pass and 1 for a like. A score s predicts this value, so (s + 1) / 2
/// is the chance of a like. The order `mutual` multiplies the chances of both sides. On data of real
/// speed-dating evenings, the product found at least as many matches as calibrated chances, the harmonic mean
/// and the minimum.
package enum MutualChance {
  /// The chance of a like by a person without a model: a like is as likely as a pass.
  package static let unknown = 0.5

  /// Returns the chance of a like, from 0 to 1. Scores below -1 count as -1, and scores above 1 count as 1.
  package static func ofLike(_ score: Double) -> Double { min(max((score + 1) / 2, 0), 1) }

  /// Returns the product of both chances, from 0 to 1. The candidate's chance is first raised to the power
  /// `order.other`.
  package static func ofBoth(
    user: Double, candidate: Double, _ order: Pipeline.MutualOrder
  ) -> Double {
    user * (order.other == 1 ? candidate : pow(candidate, order.other))
  }

  /// Returns the chance of a like that follows from a known decision; `nil` if `order` does not use the
  /// decision.
  ///
  /// - Parameters:
  ///   - value: The value of the person's latest decision; NaN for a retraction.
  ///   - decisions: The table that contains the decision.
  ///   - order: The settings.
  /// - Returns: 1 for a like, 0 for a pass with `known: all`, otherwise `nil`. With `known: ignore`, the
  ///   result is always `nil`.
  package static func known(
    _ value: Double, in decisions: InteractionTable, _ order: Pipeline.MutualOrder
  ) -> Double? {
    if order.known == .ignore { return nil }
    if value >= decisions.likedFrom { return 1 }
    return order.known == .all && value < decisions.passedBelow ? 0 : nil
  }
}
