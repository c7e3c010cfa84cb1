import Concurrency
import LeastSquares
import Testing

@testable import Discovery

/// Likes of synthetic users, for tests that need no files.
struct InventedLikes {
  /// The liked candidates of each user, newest first.
  var likes: [[UInt32]]
  let candidates: Int

  /// Users and candidates divided into `groups` groups. Users mostly like candidates of their own group.
  init(seed: UInt64, users: Int, candidates: Int, groups: Int = 3) {
    var random = SplitMix64(seed: seed)
    self.candidates = candidates
    likes = (0..<users).map { user in
      let most = Int.random(in: 0...min(candidates, 30), using: &random)
      var own: [UInt32] = []
      while own.count < most {
        let candidate = UInt32.random(in: 0..<UInt32(candidates), using: &random)
        let fits = Int(candidate) % groups == user % groups
        guard !own.contains(candidate), fits || Int.random(in: 0..<4, using: &random) == 0 else {
          if Int.random(in: 0..<50, using: &random) == 0 { break }
          continue
        }
        own.append(candidate)
      }
      return own
    }
  }

  var liked: LikedCandidates {
    LikedCandidates(
      offsets: likes.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count) },
      candidates: likes.flatMap { $0 }, times: likes.flatMap { $0.map { Int64($0) } },
      candidateCount: candidates)
  }
}

struct ItemToItemTests {
  init() throws { try LinearAlgebraLibrary.load() }

  /// The number of users who have both candidates among their newest likes.
  private static func both(_ invented: InventedLikes, _ one: Int, _ other: Int) -> Int {
    invented.likes.count {
      let newest = $0.prefix(100)
      return newest.contains(UInt32(one)) && newest.contains(UInt32(other))
    }
  }

  /// The neighbors of `candidate`, strongest first, by a full sort.
  private static func neighbors(of candidate: Int, _ invented: InventedLikes) -> [Int] {
    let counted = (0..<invented.candidates).filter {
      $0 != candidate && both(invented, candidate, $0) >= 10
    }.map { other -> (other: Int, strength: Double) in
      let strength =
        Double(both(invented, candidate, other)) / Double(both(invented, other, other)).squareRoot()
      return (other, strength)
    }
    return counted.sorted { $0.strength != $1.strength ? $0.strength > $1.strength : $0.other < $1.other }
      .map(\.other)
  }

  /// The solution of a linear system by Gaussian elimination.
  private static func solution(_ matrix: [[Double]], _ right: [Double]) -> [Double] {
    var (rows, right) = (matrix, right)
    for pivot in rows.indices {
      for row in (pivot + 1)..<max(rows.count, pivot + 1) {
        let factor = rows[row][pivot] / rows[pivot][pivot]
        for column in rows.indices { rows[row][column] -= factor * rows[pivot][column] }
        right[row] -= factor * right[pivot]
      }
    }
    var solution = right
    for row in rows.indices.reversed() {
      for column in rows.indices where column > row { solution[row] -= rows[row][column] * solution[column] }
      solution[row] /= rows[row][row]
    }
    return solution
  }

  @Test(arguments: 0..<6 as Range<UInt64>)
  func `sums equal ridge regressions solved by elimination`(seed: UInt64) {
    let invented = InventedLikes(seed: seed, users: 150, candidates: seed % 2 == 0 ? 20 : 60)
    let items = ItemToItem(invented.liked, threads: 2)
    var sums = [[Float]](
      repeating: [Float](repeating: 0, count: invented.candidates), count: invented.likes.count)
    for (user, likes) in invented.likes.enumerated() {
      items.add(likes[...], halfPlace: nil, to: &sums[user])
    }
    var nonzero = 0
    for candidate in 0..<invented.candidates {
      let near = Self.neighbors(of: candidate, invented)
      // With so few candidates, all neighbors and all of their counts of at least ten are kept.
      let users = Double(invented.likes.count { !$0.isEmpty })
      let matrix = near.map { k in
        near.map { l -> Double in
          let count = Self.both(invented, k, l)
          if k == l { return Double(count) + 300 }
          let chance =
            Double(Self.both(invented, k, k)) * Double(Self.both(invented, l, l)) / users
          return count >= 10 ? Double(count) : chance
        }
      }
      let coefficients = Self.solution(matrix, near.map { Double(Self.both(invented, candidate, $0)) })
      for (user, likes) in invented.likes.enumerated() {
        let expected = zip(near, coefficients).reduce(0.0) {
          likes.contains(UInt32($1.0)) ? $0 + $1.1 : $0
        }
        // Coefficients are stored in single precision and are at most about 1.
        #expect(abs(Double(sums[user][candidate]) - expected) < 1e-5)
        if expected != 0 { nonzero += 1 }
      }
    }
    #expect(nonzero > 500)
  }

  @Test func `the neighbors are the strongest ones, strongest first`() {
    let invented = InventedLikes(seed: 9, users: 200, candidates: 40)
    let pairs = CoLikes(invented.liked, strongest: 5, threads: 2)
    for candidate in 0..<invented.candidates {
      let found = pairs.neighbors[pairs.range(of: candidate)].map(Int.init)
      #expect(found == Array(Self.neighbors(of: candidate, invented).prefix(5)))
      #expect(
        pairs.counts[pairs.range(of: candidate)].map(Int.init)
          == found.map { Self.both(invented, candidate, $0) })
    }
    #expect(pairs.neighbors.count > 100)
  }

  @Test func `a pair that fewer than ten users like has no effect`() {
    // Nine users like the candidates 0 and 1, and ten users like the candidates 2 and 3.
    var invented = InventedLikes(seed: 1, users: 0, candidates: 4)
    invented.likes = Array(repeating: [0, 1], count: 9) + Array(repeating: [2, 3], count: 10)
    let items = ItemToItem(invented.liked, threads: 1)
    var sums = [Float](repeating: 0, count: 4)
    items.add([0, 1], halfPlace: nil, to: &sums)
    #expect(sums == [0, 0, 0, 0])
    items.add([2], halfPlace: nil, to: &sums)
    // The coefficient is 10 / (10 + 300).
    #expect(sums[0...2] == [0, 0, 0] && abs(sums[3] - 10 / 310) < 1e-7)
  }

  @Test func `older likes count less with a half-place`() {
    var invented = InventedLikes(seed: 1, users: 0, candidates: 3)
    invented.likes = Array(repeating: [0, 1], count: 20)
    let items = ItemToItem(invented.liked, threads: 1)
    var (all, aged) = ([Float](repeating: 0, count: 3), [Float](repeating: 0, count: 3))
    items.add([2, 0], halfPlace: nil, to: &all)
    items.add([2, 0], halfPlace: 2, to: &aged)
    #expect(all[1] == 20.0 / 320 && abs(Double(aged[1] / all[1]) - 0.5.squareRoot()) < 1e-6)
  }

  @Test func `the coefficients do not depend on the number of threads`() {
    // There are more candidates than two chunks contain. Twelve users like each block of 20 candidates.
    var invented = InventedLikes(seed: 4, users: 0, candidates: 2400)
    invented.likes = (0..<1440).map { user in (0..<20).map { UInt32(user % 120 * 20 + $0) } }
    let liked = invented.liked
    let one = ItemToItem(liked, threads: 1)
    let eight = ItemToItem(liked, threads: 8)
    #expect(one.offsets == eight.offsets && one.targets == eight.targets)
    #expect(one.coefficients == eight.coefficients && !one.coefficients.isEmpty)
  }
}
