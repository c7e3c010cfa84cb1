/// The trials of one choice: a trial of the latest inner cut, and trials of earlier cuts until there are
/// enough users.
///
/// With more users, the choice detects smaller gains. The latest cut comes first, because it is most similar
/// to the next run.
struct DiscoveryTrials: Sendable {
  /// Earlier cuts are added only while there are fewer users than this.
  private static let enoughUsers = 1000

  private let trials: [DiscoveryTrial]
  /// The users with later likes after any cut, ascending.
  let users: [Int]

  init(_ task: DiscoveryTask, usesItems: Bool, threads: Int) {
    var trials: [DiscoveryTrial] = []
    var users: Set<Int> = []
    for window in task.cut.windows(task.table) where users.count < Self.enoughUsers {
      let trial = DiscoveryTrial(task, window, usesItems: usesItems, threads: threads)
      trials.append(trial)
      users.formUnion(trial.tests.map(\.user))
    }
    (self.trials, self.users) = (trials, users.sorted())
  }

  /// Whether the trials can compare settings with areas.
  var haveAreas: Bool { trials.allSatisfy(\.hasAreas) }

  /// Returns the nDCG@10 of each user with each of `settings`: the mean over the cuts after which the user
  /// has likes.
  func gains(
    _ settings: [DiscoverySettings], threads: Int
  ) -> [(settings: DiscoverySettings, gains: [Double])] {
    var sums = settings.map { _ in [Double](repeating: 0, count: users.count) }
    var counts = [Double](repeating: 0, count: users.count)
    let places = Dictionary(uniqueKeysWithValues: users.enumerated().map { ($0.element, $0.offset) })
    for trial in trials {
      let found = trial.gains(settings, threads: threads)
      for (test, gains) in zip(trial.tests, found) {
        guard let place = places[test.user] else { continue }
        counts[place] += 1
        for (index, gain) in gains.enumerated() { sums[index][place] += gain }
      }
    }
    return zip(settings, sums).map { ($0, zip($1, counts).map(/)) }
  }
}
