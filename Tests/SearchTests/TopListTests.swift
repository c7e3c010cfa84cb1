import Columns
import Concurrency
import PipelineFile
import RunSchemas
import Testing

@testable import Search

struct TopListTests {
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `the best so far equal a full sort`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 1...300, using: &random)
    let order = RecommendationOrder(userHash: random.next(), seed: 1)
    let hashes = (0..<count).map { _ in UInt64.random(in: 0...3, using: &random) }
    let hasScores = Bool.random(using: &random)
    let offered = (0..<count).map { candidate in
      Recommendation(
        candidate: candidate, score: hasScores ? Double(Int.random(in: 0..<5, using: &random)) : nil,
        distance: Int.random(in: 0..<6, using: &random) == 0
          ? .nan : Double(Int.random(in: 0..<4, using: &random)))
    }
    let capacity = Int.random(in: 1...310, using: &random)
    var top = TopList(capacity: capacity, order: order)
    for recommendation in offered.shuffled(using: &random) {
      top.offer(recommendation, hash: hashes[recommendation.candidate])
    }
    let sorted = offered.sorted { order.precedes($0, $1, hashes) }
    #expect(top.best.map(\.candidate) == sorted.prefix(capacity).map(\.candidate))
  }

  /// The orders of several keys for the next test.
  private static let orders: [[Pipeline.OrderKey]] = [
    [.attribute("size", isDescending: true), .attribute("day", isDescending: false)],
    [.attribute("day", isDescending: true), .score, .attribute("size", isDescending: false)],
    [.distance, .attribute("size", isDescending: true)],
    [.score, .distance, .attribute("day", isDescending: false)],
  ]

  /// There are few different values, so later keys decide many ties.
  @Test(arguments: orders, 0..<20 as Range<UInt64>)
  func `the best by several keys equal a full sort`(keys: [Pipeline.OrderKey], seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let count = Int.random(in: 1...300, using: &random)
    let hashes = (0..<count).map { _ in UInt64.random(in: 0...3, using: &random) }
    // 0 stands for a missing value.
    let sizes = (0..<count).map { _ in Int64.random(in: 0...4, using: &random) }
    let days = (0..<count).map { _ in Int64.random(in: 0...4, using: &random) }
    let table = EntityTable(
      ids: StringColumn(inMemory: (0..<count).map { Array("p\(1000 + $0)".utf8) }), position: nil, owner: nil,
      attributes: AttributeColumns(
        numbers: ["size": Column(inMemory: sizes.map { $0 == 0 ? Double.nan : Double($0) })],
        dates: ["day": Column(inMemory: days.map { $0 == 0 ? Int64.min : $0 })]))
    let hasScores = keys.contains(.score)
    let offered = (0..<count).map { candidate in
      Recommendation(
        candidate: candidate, score: hasScores ? Double(Int.random(in: 0..<3, using: &random)) : nil,
        distance: Int.random(in: 0..<6, using: &random) == 0
          ? .nan : Double(Int.random(in: 0..<4, using: &random)))
    }
    let order = RecommendationOrder(userHash: random.next(), seed: 1)
    let (sorting, capacity) = (CandidateKeys(keys, of: table), Int.random(in: 1...310, using: &random))
    var top = TopList(capacity: capacity, order: order, keys: sorting)
    for recommendation in offered.shuffled(using: &random) {
      top.offer(recommendation, hash: hashes[recommendation.candidate])
    }
    /// The value of a candidate under a key; smaller values come first.
    func value(_ key: Pipeline.OrderKey, _ found: Recommendation) -> Double {
      switch key {
      case .score: return -(found.score ?? 0)
      case .distance: return found.distance.isNaN ? .infinity : found.distance
      case .newest: return 0
      case .attribute(let name, let isDescending):
        let value = (name == "size" ? sizes : days)[found.candidate]
        return value == 0 ? .infinity : Double(isDescending ? -value : value)
      }
    }
    func values(_ found: Recommendation) -> [Double] { keys.map { value($0, found) } }
    let sorted = offered.sorted { left, right in
      let (first, second) = (values(left), values(right))
      return first == second ? order.precedes(left, right, hashes) : first.lexicographicallyPrecedes(second)
    }
    #expect(top.best.map(\.candidate) == sorted.prefix(capacity).map(\.candidate))
    // A catalog is sorted by attributes only.
    guard !hasScores, !keys.contains(.distance) else { return }
    for (left, right) in zip(offered, sorted) {
      let (first, second) = (values(left), values(right))
      let expected = first == second ? nil : first.lexicographicallyPrecedes(second)
      #expect(sorting.precedes(row: left.candidate, right.candidate) == expected)
    }
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `the order is total`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let order = RecommendationOrder(userHash: 5, seed: seed)
    let hashes: [UInt64] = [1, 1, 2, 3]
    func precedes(_ left: Recommendation, _ right: Recommendation) -> Bool {
      order.precedes(left, right, hashes)
    }
    func any(_ random: inout SplitMix64) -> Recommendation {
      Recommendation(
        candidate: Int.random(in: 0..<4, using: &random),
        score: Double(Int.random(in: 0..<2, using: &random)),
        distance: [0, 1, Double.nan].randomElement(using: &random) ?? 0)
    }
    var chains = 0
    for _ in 0..<500 {
      let (a, b, c) = (any(&random), any(&random), any(&random))
      #expect(!precedes(a, a))
      #expect(!(precedes(a, b) && precedes(b, a)))
      if precedes(a, b) && precedes(b, c) {
        #expect(precedes(a, c))
        chains += 1
      }
      if a.candidate != b.candidate { #expect(precedes(a, b) || precedes(b, a)) }
    }
    #expect(chains > 50, "\(chains)")
  }
}

extension RecommendationOrder {
  /// Whether `left` comes before `right`. `hashes` contains the hashes of the candidates' ids.
  fileprivate func precedes(_ left: Recommendation, _ right: Recommendation, _ hashes: [UInt64]) -> Bool {
    Self.precedesByMeasure(left, right)
      ?? Self.precedesByMix(left, mix(hashes[left.candidate]), right, mix(hashes[right.candidate]))
  }
}
