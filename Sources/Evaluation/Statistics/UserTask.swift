/// The values of several methods in several metrics over the same users, with means, intervals and
/// comparisons.
package struct UserTask: Sendable {
  /// The rows of the included users, ascending.
  package let users: [Int]
  package let metrics: [String]
  /// The values by method, then by metric, then in the order of `users`.
  package let values: [[[Double]]]
  /// The bootstrap over users.
  private let byUser: Bootstrap
  /// The bootstrap over clusters of users who share candidates; `nil` if there are fewer than
  /// `leastClusters` clusters.
  private let byCluster: Bootstrap?

  /// The smallest number of clusters for an interval. Fewer clusters do not show how much the clusters vary.
  static let leastClusters = 5

  /// Creates the task and draws its bootstrap samples.
  ///
  /// - Parameters:
  ///   - users: The rows of the included users, in ascending order.
  ///   - metrics: The names of the figures.
  ///   - values: The values by method, then by metric, then in the order of `users`.
  ///   - clusters: The cluster number of each user, in the order of `users`; `nil` if each user is its own
  ///     cluster.
  ///   - samples: The number of bootstrap samples per interval.
  ///   - seed: The seed of the draws.
  package init(
    users: [Int], metrics: [String], values: [[[Double]]], clusters: [Int]?, samples: Int, seed: UInt64
  ) {
    self.users = users
    self.metrics = metrics
    self.values = values
    byUser = Bootstrap(
      groups: Bootstrap.userGroups(count: users.count, seed: seed), samples: samples, seed: seed)
    byCluster = clusters.flatMap { clusters in
      let count = (clusters.max() ?? -1) + 1
      guard count >= Self.leastClusters else { return nil }
      let dealt = Bootstrap.userGroups(count: count, seed: seed)
      return Bootstrap(groups: clusters.map { dealt[$0] }, samples: samples, seed: seed)
    }
  }

  /// A mean with its 95 % intervals. The mean and both intervals are `nil` if there are no users.
  /// `clusterInterval` is also `nil` if there are too few clusters for a bootstrap over clusters.
  package struct Estimate: Hashable, Sendable {
    package var users: Int
    package var mean: Double?
    package var interval: Interval?
    package var clusterInterval: Interval?
  }

  /// Returns the mean over all users.
  package func estimate(method: Int, metric: Int) -> Estimate {
    estimate(values[method][metric])
  }

  /// Returns the mean over all users, without intervals; `nil` if there are no users.
  package func mean(method: Int, metric: Int) -> Double? { Self.mean(values[method][metric]) }

  /// Returns the mean over users of the value of `method` minus the value of `other`.
  package func difference(_ method: Int, _ other: Int, metric: Int) -> Estimate {
    estimate(zip(values[method][metric], values[other][metric]).map { $0 - $1 })
  }

  /// Returns the mean over the users for whom `isIn` is true, without a cluster interval. `isIn` has one
  /// element per user, in the order of `users`.
  package func estimate(method: Int, metric: Int, where isIn: [Bool]) -> Estimate {
    slice(values[method][metric], isIn)
  }

  /// Returns the mean of the value of `method` minus the value of `other`, over the users for whom `isIn` is
  /// true, without a cluster interval.
  package func difference(_ method: Int, _ other: Int, metric: Int, where isIn: [Bool]) -> Estimate {
    slice(zip(values[method][metric], values[other][metric]).map { $0 - $1 }, isIn)
  }

  /// Returns the paired comparison of two methods over all users.
  package func comparison(_ method: Int, _ other: Int, metric: Int) -> PairedComparison {
    PairedComparison(values[method][metric], values[other][metric])
  }

  private func estimate(_ values: [Double]) -> Estimate {
    Estimate(
      users: values.count, mean: Self.mean(values), interval: byUser.interval(ofMean: values),
      clusterInterval: byCluster?.interval(ofMean: values))
  }

  private func slice(_ values: [Double], _ isIn: [Bool]) -> Estimate {
    let members = zip(values, isIn).filter { $0.1 }.map { $0.0 }
    return Estimate(
      users: members.count, mean: Self.mean(members),
      interval: byUser.interval(ofMean: zip(values, isIn).map { $1 ? $0 : nil }), clusterInterval: nil)
  }

  static func mean(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
  }
}
