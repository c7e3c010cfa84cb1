internal import Concurrency
internal import LeastSquares

/// Item-to-item coefficients: for each candidate j, a ridge regression of the likes of j on the likes of its
/// strongest neighbors N,
///
///     b_j = (G_NN + λ I)⁻¹ G_Nj
///
/// where G_kl is the number of users who like both k and l. Let b_kj be the element of b_j for the neighbor
/// k. The sum of b_kj over the candidates k that a user likes predicts whether the user likes j. This is EASE
/// (Steck, 2019) on a neighborhood of each candidate, so the work is linear in the number of candidates.
package struct ItemToItem: Sendable {
  /// The maximum number of neighbors of a candidate.
  static let mostNeighbors = 100

  /// The coefficients of the liked candidate `k` are at `offsets[k]..<offsets[k + 1]`, by ascending target.
  /// The target of a coefficient b_kj is the candidate j.
  let offsets: [Int]
  let targets: [UInt32]
  let coefficients: [Float]

  /// Whether, for every pair of candidates, too few users like both. All sums are then 0.
  var isEmpty: Bool { targets.isEmpty }

  /// Solves one regression per candidate.
  ///
  /// Load the linear algebra library before the first call.
  ///
  /// - Parameters:
  ///   - liked: The likes of all users.
  ///   - penalty: The ridge penalty λ, in likes; above 0.
  ///   - threads: The maximum number of threads; the result does not depend on it.
  package init(_ liked: LikedCandidates, penalty: Double = 300, threads: Int) {
    let pairs = CoLikes(liked, strongest: 2 * Self.mostNeighbors, threads: threads)
    let count = liked.candidateCount
    let parts = parallelMap(count: count, chunkSize: 512, threads: threads) { chunk in
      var system = NeighborSystem(candidates: count, penalty: penalty)
      var part: [[Double]] = []
      for candidate in chunk { part.append(system.solve(candidate, pairs)) }
      return part
    }
    // The following loops transpose the coefficients: `parts` groups them by target, and the result groups
    // them by neighbor.
    var ends = [Int](repeating: 0, count: count + 1)
    var target = 0
    for solution in parts.joined() {
      let first = pairs.range(of: target).lowerBound
      for place in solution.indices { ends[Int(pairs.neighbors[first + place]) + 1] += 1 }
      target += 1
    }
    for index in 0..<count { ends[index + 1] += ends[index] }
    offsets = ends
    var (targets, coefficients) = (
      [UInt32](repeating: 0, count: ends[count]), [Float](repeating: 0, count: ends[count])
    )
    target = 0
    for solution in parts.joined() {
      let first = pairs.range(of: target).lowerBound
      for place in solution.indices {
        let neighbor = Int(pairs.neighbors[first + place])
        targets[ends[neighbor]] = UInt32(target)
        coefficients[ends[neighbor]] = Float(solution[place])
        ends[neighbor] += 1
      }
      target += 1
    }
    (self.targets, self.coefficients) = (targets, coefficients)
  }

  /// Adds to `sums` the coefficients of the candidates that a user likes.
  ///
  /// - Parameters:
  ///   - likes: The liked candidates, newest first. Only the first `CoLikes.mostLikes` count.
  ///   - halfPlace: The number of newer likes after which a like has half its weight; `nil` if all likes have
  ///     the same weight.
  ///   - sums: The sums so far, one per candidate.
  package func add(_ likes: ArraySlice<UInt32>, halfPlace: Double?, to sums: inout [Float]) {
    for (place, liked) in likes.prefix(CoLikes.mostLikes).enumerated() {
      let weight = Self.weight(place, halfPlace)
      for index in offsets[Int(liked)]..<offsets[Int(liked) + 1] {
        sums[Int(targets[index])] += weight * coefficients[index]
      }
    }
  }

  /// Returns the weight of the like at `place`. The newest like has the place 0.
  static func weight(_ place: Int, _ halfPlace: Double?) -> Float {
    halfPlace.map { Float(DiscoverySettings.half(Double(place) / $0)) } ?? 1
  }
}

/// The normal equations of one candidate. One instance serves all candidates of a chunk, one after the other.
private struct NeighborSystem {
  private var matrix: [Double]
  /// The index of each neighbor in the order of strength; -1 for candidates that are not neighbors.
  private var placeOf: [Int32]
  private let penalty: Double

  init(candidates: Int, penalty: Double) {
    self.penalty = penalty
    matrix = [Double](repeating: 0, count: ItemToItem.mostNeighbors * ItemToItem.mostNeighbors)
    placeOf = [Int32](repeating: -1, count: candidates)
  }

  /// Returns the coefficients of the strongest neighbors of `candidate`, at most `ItemToItem.mostNeighbors`.
  /// The strongest neighbor comes first.
  mutating func solve(_ candidate: Int, _ pairs: CoLikes) -> [Double] {
    let range = pairs.range(of: candidate).prefix(ItemToItem.mostNeighbors)
    let order = range.count
    guard order > 0 else { return [] }
    let neighbors = pairs.neighbors[range]
    for (place, neighbor) in neighbors.enumerated() { placeOf[Int(neighbor)] = Int32(place) }
    defer { for neighbor in neighbors { placeOf[Int(neighbor)] = -1 } }
    var penalty = penalty
    while true {
      fill(neighbors, order: order, pairs, penalty: penalty)
      var solution = pairs.counts[range].map(Double.init)
      do {
        try PositiveDefinite.solve(&matrix, order: order, &solution)
        return solution
      } catch {
        // The expected counts that `fill` writes can make the matrix indefinite. With a sufficiently large
        // penalty, the matrix is always positive definite.
        penalty *= 10
      }
    }
  }

  /// Writes the upper triangle of G_NN + λ I. Pairs that were not kept get the number of users expected by
  /// chance, because 0 would mean that no user likes both candidates.
  private mutating func fill(
    _ neighbors: ArraySlice<UInt32>, order: Int, _ pairs: CoLikes, penalty: Double
  ) {
    for (column, k) in neighbors.enumerated() {
      let share = Double(pairs.likers[Int(k)]) / Double(pairs.users)
      for (row, l) in neighbors.prefix(column).enumerated() {
        matrix[column * order + row] = share * Double(pairs.likers[Int(l)])
      }
      matrix[column * order + column] = Double(pairs.likers[Int(k)]) + penalty
    }
    for (place, k) in neighbors.enumerated() {
      for index in pairs.range(of: Int(k)) {
        let other = Int(placeOf[Int(pairs.neighbors[index])])
        guard other >= 0 else { continue }
        matrix[max(place, other) * order + min(place, other)] = Double(pairs.counts[index])
      }
    }
  }
}
