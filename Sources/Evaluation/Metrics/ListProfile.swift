internal import Foundation
package import Ranking

/// Properties of lists besides hits: the distribution of exposure, distances, and the novelty of candidates.
package struct ListProfile: Hashable, Sendable {
  /// The distribution of exposure; `nil` if the rules exclude all candidates from all lists.
  package let exposure: Exposure?
  /// The novelty of the listed candidates: the mean over places of -log2((n + 1) / (users + 1)). Here n is
  /// the number of users who had decided on the candidate as of the cut. `nil` if all lists are empty.
  ///
  /// Source: Zhou and others 2010, doi:10.1073/pnas.1000488107 (self-information), with add-one smoothing.
  package let novelty: Double?
  /// The 10th, 50th and 90th percentiles of the distances in kilometers, over all places with a distance;
  /// empty if no place has a distance. A percentile is the value at the nearest rank.
  package let distances: [Double]
  /// The share of reciprocal places: the candidate's own list also contains the user. `nil` if users and
  /// candidates are different entities, or all lists are empty.
  package let listedBothWays: Double?
  /// The largest number of lists that contain the same candidate.
  package let largestLoad: Int
  package let places: Int
  package let emptyLists: Int

  /// Computes the profile.
  ///
  /// - Parameters:
  ///   - lists: The lists of all users.
  ///   - isCandidate: For each candidate row, whether the rules allow the candidate on at least one list.
  ///   - decidedOnBy: The number of users who had decided on each candidate as of the cut.
  ///   - isOneKind: Whether users and candidates are the same entity.
  package init(_ lists: MethodLists, isCandidate: [Bool], decidedOnBy: [Int], isOneKind: Bool) {
    let exposures = lists.exposures(candidates: isCandidate.count)
    var loads = [Int](repeating: 0, count: isCandidate.count)
    var information = 0.0
    var mutual = 0
    let users = Double(lists.userCount)
    for user in 0..<lists.userCount {
      for candidate in lists[user] {
        loads[Int(candidate)] += 1
        information -= log2((Double(decidedOnBy[Int(candidate)]) + 1) / (users + 1))
        if isOneKind, lists[Int(candidate)].contains(UInt32(user)) { mutual += 1 }
      }
    }
    largestLoad = loads.max() ?? 0
    places = lists.candidates.count
    emptyLists = (0..<lists.userCount).count { lists[$0].isEmpty }
    let eligible = zip(exposures, isCandidate).filter { $0.1 || $0.0 > 0 }.map { $0.0 }
    exposure = eligible.isEmpty ? nil : Exposure(eligible)
    novelty = places == 0 ? nil : information / Double(places)
    listedBothWays = isOneKind && places > 0 ? Double(mutual) / Double(places) : nil
    let known = lists.distances.filter { !$0.isNaN }.sorted()
    distances =
      known.isEmpty
      ? [] : [0.1, 0.5, 0.9].map { Double(known[Int((Double(known.count - 1) * $0).rounded())]) }
  }
}
