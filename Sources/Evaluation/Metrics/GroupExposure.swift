internal import Ranking

/// The exposure of groups of candidates, compared with the later likes that each group receives.
///
/// If a group's share of the exposure is far below its share of the likes, the lists show the group less
/// than its likes suggest.
struct GroupExposure: Hashable, Sendable {
  /// The name of the property that divides the candidates, such as a category.
  let property: String
  /// The groups in display order.
  let groups: [Group]

  struct Group: Hashable, Sendable {
    let name: String
    /// The number of candidates whom the rules allow on at least one list.
    var candidates = 0
    /// The number of later likes of these candidates.
    var likes = 0
    /// For each method, the sum of the candidates' exposures.
    var exposures: [Double]
  }

  /// Computes the exposure of each group.
  ///
  /// - Parameters:
  ///   - slicing: The groups of the candidates.
  ///   - exposures: For each method, the exposure of each candidate.
  ///   - isCandidate: For each candidate row, whether the rules allow the candidate on at least one list.
  ///   - likes: The number of later likes of each candidate.
  init(_ slicing: Slicing, exposures: [[Double]], isCandidate: [Bool], likes: [Int]) {
    property = slicing.name
    var groups = slicing.slices.map { Group(name: $0, exposures: exposures.map { _ in 0 }) }
    for (row, group) in slicing.sliceOfRow.enumerated() {
      guard let group, isCandidate[row] else { continue }
      groups[group].candidates += 1
      groups[group].likes += likes[row]
      for method in exposures.indices { groups[group].exposures[method] += exposures[method][row] }
    }
    self.groups = groups.filter { $0.candidates > 0 }
  }
}

extension MethodLists {
  /// Returns the exposure of each candidate: the sum of `Exposure.discount` over the candidate's places
  /// on all lists.
  func exposures(candidates count: Int) -> [Double] {
    var exposures = [Double](repeating: 0, count: count)
    for user in 0..<userCount {
      for (index, candidate) in self[user].enumerated() {
        exposures[Int(candidate)] += Exposure.discount(atPlace: index + 1)
      }
    }
    return exposures
  }
}

extension LaterDecisions {
  /// Returns the number of users who later liked each candidate.
  func likesOfCandidate(count: Int) -> [Int] {
    var likes = [Int](repeating: 0, count: count)
    for (candidate, isLike) in zip(candidates, isLike) where isLike { likes[Int(candidate)] += 1 }
    return likes
  }
}
