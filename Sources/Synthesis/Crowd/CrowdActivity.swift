internal import Concurrency
internal import Glibc

/// The number of swipes of each person of a crowd. Most people make a few swipes, a few people make very
/// many, and one in 25 makes none.
///
/// The weights of people come from a truncated log-normal distribution. Weights are whole numbers, so their
/// sums do not depend on the order of addition. The running sums are scaled and rounded down, and a count is
/// the difference of two successive rounded sums. The counts therefore add up to the total exactly, and each
/// count differs from its exact share by less than one.
struct CrowdActivity: Sendable {
  private let weights: [UInt32]
  /// For each chunk, the total weight of the people before it. The last element is the total weight of all
  /// people.
  private let sums: [UInt64]
  private let swipes: UInt64

  static let chunk = 1 << 14
  private static let scale = 4096.0
  private static let spread = 0.9

  /// Creates the activity of `users` people who make `perUser` swipes on average. `perUser` is at most an
  /// eighth of `users`.
  init(users: Int, perUser: Int, seed: UInt64, threads: Int) {
    // Each person swipes on at most about a third of all people, so that the app always has people to show.
    let most = min(20, Double(users) / (4 * Double(perUser)))
    var weights: [UInt32] = []
    weights.reserveCapacity(users)
    var sums: [UInt64] = [0]
    parallelInOrder(
      count: (users + Self.chunk - 1) / Self.chunk, threads: threads,
      { number in
        (number * Self.chunk..<min(users, (number + 1) * Self.chunk)).map {
          Self.weight(of: $0, most: most, seed: seed)
        }
      },
      consume: { chunk in
        weights += chunk
        sums.append((sums.last ?? 0) + chunk.reduce(0) { $0 + UInt64($1) })
      })
    self.weights = weights
    self.sums = sums
    swipes = UInt64(users) * UInt64(perUser)
  }

  /// Returns the number of swipes of each person in a chunk, in order.
  func counts(ofChunk number: Int) -> [Int] {
    var before = sums[number]
    var done = share(before)
    return weights[number * Self.chunk..<min(weights.count, (number + 1) * Self.chunk)].map { weight in
      before += UInt64(weight)
      let next = share(before)
      defer { done = next }
      return Int(next - done)
    }
  }

  var chunks: Int { sums.count - 1 }

  /// Returns the number of swipes for people with the total weight `weight`, rounded down.
  private func share(_ weight: UInt64) -> UInt64 {
    guard let total = sums.last, total > 0 else { return 0 }
    return total.dividingFullWidth(swipes.multipliedFullWidth(by: weight)).quotient
  }

  private static func weight(of person: Int, most: Double, seed: UInt64) -> UInt32 {
    var generator = SplitMix64(seed: seed, purpose: .crowdActivity, index: person)
    // The first two people always swipe, so that the total is positive.
    if generator.nextBool(probability: 0.04), person > 1 { return 0 }
    // For a standard normal g, the mean of exp(s g) is exp(s² / 2). Subtracting s² / 2 gives the mean 1.
    let activity = exp(spread * generator.nextGaussian() - spread * spread / 2)
    return UInt32(max(1, scale * min(most, activity)))
  }
}
