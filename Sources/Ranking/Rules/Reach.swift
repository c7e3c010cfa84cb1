internal import Columns
internal import Features
package import PipelineFile
package import RunSchemas

/// The radius of a ranking, of each user, and of each candidate, in kilometers, inclusive.
package struct Reach: Sendable {
  /// The ranking's radius; `nil` if it has none.
  private let radius: Double?
  /// The radius of each user; NaN for the ranking's radius. `nil` if users do not have individual radii.
  private let ofUsers: [Double]?
  /// The radius of each candidate; NaN for unlimited reach. `nil` if all candidates have unlimited reach.
  private let ofCandidates: [Double]?
  /// The greatest radius of a candidate; `nil` if a candidate has unlimited reach.
  private let farthestOfCandidates: Double?
  /// The greatest radius of a user; `nil` if the ranking has none.
  private let farthestOfUsers: Double?

  package init(_ ranking: Pipeline.Ranking, users: EntityTable, candidates: EntityTable) {
    let radius = ranking.radiusInKilometers
    let ofUsers = ranking.radiusAttribute.map { Self.column($0, of: users) }
    let ofCandidates = ranking.candidateRadiusAttribute.map { Self.column($0, of: candidates) }
    (self.radius, self.ofUsers, self.ofCandidates) = (radius, ofUsers, ofCandidates)
    farthestOfCandidates = ofCandidates.flatMap { radii in
      radii.contains { $0.isNaN } ? nil : radii.max() ?? 0
    }
    farthestOfUsers = radius.map { radius in (ofUsers ?? []).reduce(radius) { $1.isNaN ? $0 : max($0, $1) } }
  }

  private static func column(_ name: String, of table: EntityTable) -> [Double] {
    guard let column = table.number(name) else {
      preconditionFailure("the snapshot does not contain the radius attribute '\(name)'")
    }
    return column.elements
  }

  /// Whether all users have the ranking's radius and no candidate has a radius. The block search requires
  /// this.
  var isOneForAll: Bool { ofUsers == nil && ofCandidates == nil }

  /// Returns the radius of the user at row `user`; `nil` if the ranking has none.
  func radius(ofUser user: Int) -> Double? {
    guard let radius else { return nil }
    guard let ofUsers, !ofUsers[user].isNaN else { return radius }
    return ofUsers[user]
  }

  /// Returns a radius that contains every candidate in reach of the user at row `user`, for use with an
  /// index; `nil` if unlimited.
  func searchRadius(ofUser user: Int) -> Double? {
    Self.usable([radius(ofUser: user), farthestOfCandidates])
  }

  /// Returns a radius that contains every user who has the candidate at row `candidate` in reach; `nil` if
  /// unlimited.
  func searchRadius(ofCandidate candidate: Int) -> Double? {
    Self.usable([farthestOfUsers, ofCandidates.flatMap { $0[candidate].isNaN ? nil : $0[candidate] }])
  }

  /// Returns the least of `bounds` as a radius for an index; `nil` if all are `nil`. The radius is above 0,
  /// as an index requires, and at most 20 038 km, because no distance exceeds half of the Earth's
  /// circumference.
  private static func usable(_ bounds: [Double?]) -> Double? {
    bounds.compactMap(\.self).min().map { min(max($0, 0.001), 20_038) }
  }

  /// Returns whether `candidate` is in reach of a user with the radius `radius`, which is `nil` for no limit.
  /// `distance` is in kilometers; NaN if unknown. An unknown distance is beyond every radius.
  package func contains(_ candidate: Int, distance: Double, radius: Double?) -> Bool {
    if let radius, !(distance <= radius) { return false }
    guard let ofCandidates, !ofCandidates[candidate].isNaN else { return true }
    return distance <= ofCandidates[candidate]
  }
}
