import Concurrency
import Testing

@testable import Evaluation

/// Means, differences and intervals over users.
@Suite struct UserTaskTests {
  private static func task(_ values: [[Double]], clusters: [Int]? = nil, seed: UInt64 = 2) -> UserTask {
    UserTask(
      users: Array(values[0].indices), metrics: ["auc"], values: values.map { [$0] }, clusters: clusters,
      samples: 200, seed: seed)
  }

  @Test func `a difference is the first value minus the second`() {
    let task = Self.task([[0.5, 0.75, 1], [0.25, 0.25, 0.25]])
    #expect(task.mean(method: 0, metric: 0) == 0.75 && task.mean(method: 1, metric: 0) == 0.25)
    #expect(task.difference(0, 1, metric: 0).mean == 0.5 && task.difference(1, 0, metric: 0).mean == -0.5)
    #expect(task.comparison(0, 1, metric: 0) == PairedComparison([0.5, 0.75, 1], [0.25, 0.25, 0.25]))
    #expect(task.estimate(method: 0, metric: 0).users == 3)
  }

  @Test func `without users there is no mean and no interval`() {
    let task = Self.task([[]])
    #expect(
      task.estimate(method: 0, metric: 0)
        == UserTask.Estimate(users: 0, mean: nil, interval: nil, clusterInterval: nil))
  }

  @Test func `a slice consists of its users`() throws {
    let task = Self.task([[0, 0, 1, 1], [1, 1, 0.5, 0.5]], clusters: [0, 1, 2, 3])
    let slice = task.estimate(method: 0, metric: 0, where: [false, false, true, true])
    #expect(slice.users == 2 && slice.mean == 1 && slice.interval == Interval(low: 1, high: 1))
    #expect(slice.clusterInterval == nil)
    let less = task.difference(0, 1, metric: 0, where: [false, false, true, true])
    #expect(less.mean == 0.5 && less.users == 2)
    let none = task.estimate(method: 0, metric: 0, where: [false, false, false, false])
    #expect(none.users == 0 && none.mean == nil && none.interval == nil)
  }

  @Test(arguments: [(4, false), (5, true), (6, true)])
  func `below five clusters there is no interval by clusters`(_ clusters: Int, _ isReported: Bool) {
    let task = Self.task([(0..<12).map { Double($0 % 3) }], clusters: (0..<12).map { $0 % clusters })
    #expect((task.estimate(method: 0, metric: 0).clusterInterval != nil) == isReported)
  }

  /// All users of a cluster have the same value. Resampling users makes the interval too narrow,
  /// and resampling clusters does not.
  @Test func `the interval by clusters draws whole clusters`() throws {
    let clusters = (0..<120).map { $0 / 20 }
    let values = clusters.map { Double($0 % 2) }
    let task = Self.task([values], clusters: clusters, seed: 4)
    let estimate = task.estimate(method: 0, metric: 0)
    let expected = Bootstrap(groups: clusters, samples: 200, seed: 4).interval(ofMean: values)
    #expect(estimate.clusterInterval == expected)
    let (wide, narrow) = (try #require(estimate.clusterInterval), try #require(estimate.interval))
    #expect(wide.high - wide.low > 2.5 * (narrow.high - narrow.low))
  }
}

/// Compares the bootstrap with a slow reference implementation that draws users one by one.
@Suite struct BootstrapTwinTests {
  @Test(arguments: 0..<12 as Range<UInt64>)
  func `intervals are percentiles of resampled means`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed &+ 100)
    let users = Int.random(in: 1...20, using: &random)
    // Every group has at least one user. Groups are numbered in order of first appearance.
    let count = Int.random(in: 1...users, using: &random)
    let groups = (0..<users).map { $0 < count ? $0 : Int.random(in: 0..<count, using: &random) }
    let values = (0..<users).map { _ in random.next() % 4 == 0 ? nil : Double?(random.nextUnit()) }
    let samples = 37
    let level = seed % 2 == 0 ? 0.95 : 0.5

    var draws = SplitMix64(seed: seed)
    var means: [Double] = []
    for _ in 0..<samples {
      var drawn: [Double] = []
      for _ in 0..<count {
        let group = Int(draws.next(upperBound: UInt64(count)))
        drawn += groups.indices.filter { groups[$0] == group }.compactMap { values[$0] }
      }
      if !drawn.isEmpty { means.append(drawn.reduce(0, +) / Double(drawn.count)) }
    }
    means.sort()
    func quantile(_ share: Double) -> Double {
      let place = share * Double(means.count - 1)
      let (below, above) = (means[Int(place.rounded(.down))], means[Int(place.rounded(.up))])
      return below + (place - place.rounded(.down)) * (above - below)
    }
    let found = Bootstrap(groups: groups, samples: samples, seed: seed).interval(ofMean: values, level: level)
    guard !means.isEmpty else {
      #expect(found == nil)
      return
    }
    let interval = try #require(found)
    #expect(abs(interval.low - quantile((1 - level) / 2)) < 1e-12)
    #expect(abs(interval.high - quantile((1 + level) / 2)) < 1e-12)
  }

  @Test func `up to four thousand users are resampled individually, and more in two thousand groups`() {
    #expect(Bootstrap.userGroups(count: 4000, seed: 1) == Array(0..<4000))
    let groups = Bootstrap.userGroups(count: 4001, seed: 1)
    var sizes = [Int](repeating: 0, count: 2000)
    for group in groups { sizes[group] += 1 }
    #expect(sizes.min() == 2 && sizes.max() == 3 && sizes.count { $0 == 3 } == 1)
    // Users are assigned to groups at random, so the groups do not follow the order of ids.
    #expect(groups != (0..<4001).map { $0 % 2000 } && groups != Bootstrap.userGroups(count: 4001, seed: 2))
    #expect(Bootstrap.userGroups(count: 0, seed: 1) == [])
  }

  @Test func `an interval contains its ends`() {
    let interval = Interval(low: 0.25, high: 0.5)
    #expect(interval.contains(0.25) && interval.contains(0.5))
    #expect(!interval.contains(0.2499) && !interval.contains(0.5001))
  }
}
