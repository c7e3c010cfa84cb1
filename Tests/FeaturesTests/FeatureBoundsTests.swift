import Columns
import Concurrency
import Testing

@testable import Features

/// Tests bounds on the values of a group of candidates. A search uses them to skip groups that cannot reach a
/// list.
struct FeatureBoundsTests {
  private static let count = 24

  /// Returns one shape of each kind with random values, some of them missing. Codes are below
  /// `codes`. Bounds are exact for up to 64 codes.
  private static func shapes(_ random: inout SplitMix64, codes: UInt32) -> [any ValueShape] {
    // The numbers have few different values, so a user's number often equals the end of a range.
    func numbers() -> [Double] {
      (0..<count).map { _ in random.next() % 5 == 0 ? .nan : Double(random.next() % 9) - 4.5 }
    }
    func words() -> [UInt32] {
      (0..<count).map { _ in
        random.next() % 5 == 0 ? CategoryColumn.missing : UInt32.random(in: 0..<codes, using: &random)
      }
    }
    func sets() -> CodeSets {
      var (offsets, all): ([UInt64], [UInt32]) = ([0], [])
      for _ in 0..<count {
        let size = Int.random(in: 0...5, using: &random)
        all += Set((0..<size).map { _ in UInt32.random(in: 0..<codes, using: &random) }).sorted()
        offsets.append(UInt64(all.count))
      }
      return CodeSets(offsets: offsets, codes: all)
    }
    return [
      NumberShape(numbers()), DifferenceShape(users: numbers(), candidates: numbers(), isAbsolute: false),
      DifferenceShape(users: numbers(), candidates: numbers(), isAbsolute: true),
      SameCodeShape(users: words(), candidates: words()), SharedTagsShape(users: sets(), candidates: sets()),
      FollowedTargets(users: sets(), targets: words()),
    ]
  }

  /// Returns the bound for `user` over the candidates `members`, and their values.
  private func bound(_ shape: any ValueShape, _ user: Int, _ members: [Int]) -> (ValueRange, [Double]) {
    var group = FeatureSummary()
    for member in members { group.formUnion(shape.summary(of: member)) }
    return (
      shape.bound(ofUser: user)(group, GroupDistances()),
      members.map { shape.value(user: user, candidate: $0, distance: .nan) }
    )
  }

  @Test(arguments: 0..<4 as Range<UInt64>, [6, 64, 200] as [UInt32])
  func `no value of a group is outside its bound`(seed: UInt64, codes: UInt32) {
    var random = SplitMix64(seed: seed)
    for shape in Self.shapes(&random, codes: codes) {
      for user in 0..<Self.count where !shape.own(ofUser: user).isMissing {
        for size in [0, 1, 2, 3, 7] {
          let members = (0..<size).map { _ in Int.random(in: 0..<Self.count, using: &random) }
          let (range, values) = bound(shape, user, members)
          let known = values.filter { !$0.isNaN }
          #expect(known.allSatisfy { range.low <= $0 && $0 <= range.high }, "\(shape)")
          #expect(range.hasMissing == (known.count < values.count))
          if known.isEmpty { #expect(range.low > range.high, "without values the range is empty") }
        }
      }
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `the bound of one candidate is its value`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var compared = 0
    for shape in Self.shapes(&random, codes: 64) {
      for user in 0..<Self.count where !shape.own(ofUser: user).isMissing {
        for candidate in 0..<Self.count {
          let (range, values) = bound(shape, user, [candidate])
          if values[0].isNaN { continue }
          // The lower bound of flags and overlaps is always 0.
          let isNumber = shape is NumberShape || shape is DifferenceShape
          #expect(range.high == values[0] && (isNumber ? values[0] : 0) == range.low, "\(shape)")
          compared += 1
        }
      }
    }
    #expect(compared > 1000)
  }

  @Test(arguments: [(Double.infinity, 3.0, 7.0), (7, 3, 7), (5, 3, 5), (2, 2, 2)])
  func `distances are bounded by the group's known distances`(most: Double, low: Double, high: Double) {
    let shape = DistanceShape(
      users: Positions(latitudes: [0], longitudes: [0]),
      candidates: Positions(latitudes: [0], longitudes: [1]), most: most)
    let known = shape.bound(ofUser: 0)(FeatureSummary(), GroupDistances(known: (3, 7), hasUnknown: false))
    #expect(known.low == low && known.high == high && !known.hasMissing)
    let unknown = shape.bound(ofUser: 0)(FeatureSummary(), GroupDistances())
    #expect(unknown.low > unknown.high && unknown.hasMissing)
    let logarithm = DistanceShape(
      users: shape.users, candidates: shape.candidates, most: most, isLogarithm: true)
    let range = logarithm.bound(ofUser: 0)(FeatureSummary(), GroupDistances(known: (3, 7), hasUnknown: false))
    #expect(range.low == SignedLogarithm.of(low) && range.high == SignedLogarithm.of(high))
    #expect(logarithm.value(user: 0, candidate: 0, distance: 6) == SignedLogarithm.of(min(6, most)))
    let pair = FeaturePair(user: 0, candidate: 0, distance: 6, interaction: 0)
    let learned = logarithm.learnedValue(0, of: pair)
    #expect(most < 6 ? learned.isNaN : learned == SignedLogarithm.of(6))
  }
}
