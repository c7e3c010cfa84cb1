internal import Columns
internal import Features
package import PipelineFile
package import RunSchemas

/// How far is near: the radius of a ranking, of each user, and of each candidate, in kilometers, inclusive.
package struct Reach: Sendable {
  /// The ranking's; `nil` is everywhere.
  private let radius: Double?
  /// By user; NaN where the ranking's holds. `nil` where users have none of their own.
  private let ofUsers: [Double]?
  /// By candidate; NaN for a candidate with unlimited reach. `nil` if all have it.
  private let ofCandidates: [Double]?
  /// The farthest that any candidate reaches; `nil` where some reach everywhere.
  private let farthest: Double?

  package init(_ ranking: Pipeline.Ranking, users: EntityTable, candidates: EntityTable) {
    radius = ranking.radiusInKilometers
    ofUsers = ranking.radiusAttribute.map { Self.column($0, of: users) }
    ofCandidates = ranking.candidateRadiusAttribute.map { Self.column($0, of: candidates) }
    farthest = ofCandidates.flatMap { radii in
      radii.contains { $0.isNaN } ? nil : radii.max() ?? 0
    }
  }

  private static func column(_ name: String, of table: EntityTable) -> [Double] {
    guard let column = table.number(name) else {
      preconditionFailure("the snapshot does not hold the radius '\(name)'")
    }
    return column.elements
  }

  /// Whether all users have the ranking's radius and candidates have none, as the block search requires.
  var isOneForAll: Bool { ofUsers == nil && ofCandidates == nil }

  /// The radius of the user at row `user`; `nil` is everywhere.
  func radius(ofUser user: Int) -> Double? {
    guard let radius else { return nil }
    guard let ofUsers, !ofUsers[user].isNaN else { return radius }
    return ofUsers[user]
  }

  /// A radius that contains every candidate in reach of the user at row `user`, for use with an index; `nil` if
  /// unlimited.
  func searchRadius(ofUser user: Int) -> Double? {
    let bounds = [radius(ofUser: user), farthest].compactMap(\.self)
    // No point is farther away than half of the earth's circumference, and a circle needs a positive radius.
    return bounds.min().map { min(max($0, 0.001), 20_038) }
  }

  /// Whether `candidate` is in reach at a distance of `distance` kilometers, NaN where unknown, of a user with `radius`.
  package func contains(_ candidate: Int, distance: Double, radius: Double?) -> Bool {
    if let radius, !(distance <= radius) { return false }
    guard let ofCandidates, !ofCandidates[candidate].isNaN else { return true }
    return distance <= ofCandidates[candidate]
  }
}
