internal import Concurrency
internal import RunSchemas

/// Chooses the settings of a discovery order on inner cuts within the learning part.
///
/// Each setting starts at its default and is chosen in turn, by the mean nDCG@10 of users with later likes. A
/// setting leaves its default only if the paired gain exceeds `leastGain` standard errors of the gain. The
/// weight of the popularity is always chosen together with the other settings.
package struct DiscoveryChoice: Sendable {
  /// The chosen settings; the defaults if too few users have later likes.
  package let settings: DiscoverySettings
  /// The number of compared users.
  package let users: Int
  /// The mean nDCG@10 before the choice, with the best weight of the popularity and the other settings at
  /// their defaults, and with the chosen settings. Both are NaN if too few users have later likes.
  package let before: Double
  package let after: Double

  /// The values that are tried besides the defaults.
  static let halfLives = ([3, 7, 14, 30, 90, 180, 365] as [Int64?]).map { $0.map { $0 * 86_400_000 } }
  static let halfPlaces = [5.0, 10, 20, 50] as [Double?]
  static let popularities = [0.01, 0.03, 0.1, 0.3, 1, 3]
  static let exponents = [0.25, 0.5, 1, 1.5, 2]
  /// The gain that a setting needs, in standard errors. Several values are tried per setting, and the best of
  /// them gains about one standard error by chance.
  static let leastGain = 2.0
  /// With fewer users, the defaults remain.
  package static let leastUsers = 30

  /// - Parameters:
  ///   - task: The learning interactions and the rules of the lists.
  ///   - threads: The number of workers; the result does not depend on it.
  package init(_ task: DiscoveryTask, threads: Int) {
    let trials = DiscoveryTrials(task, usesItems: true, threads: threads)
    users = trials.users.count
    guard users >= Self.leastUsers else {
      (settings, before, after) = (DiscoverySettings(), .nan, .nan)
      return
    }
    func best(_ candidates: [DiscoverySettings]) -> (settings: DiscoverySettings, gains: [Double]) {
      let gains = trials.gains(
        candidates.flatMap { settings in
          Self.popularities.map {
            var settings = settings
            settings.popularity = $0
            return settings
          }
        }, threads: threads)
      // The first of equal means wins, so the result does not depend on the number of workers.
      return gains.reduce(gains[0]) { Self.mean($1.gains) > Self.mean($0.gains) ? $1 : $0 }
    }
    let start = best([DiscoverySettings()])
    var chosen = start
    while true {
      let found = Self.changes(of: chosen.settings, distance: task.hasPositions).map(best)
        .filter { Self.isClear(zip($0.gains, chosen.gains).map { $0 - $1 }) }
      // The first of equal means wins. Each step increases the mean, so the loop ends.
      guard let first = found.first else { break }
      chosen = found.reduce(first) { Self.mean($1.gains) > Self.mean($0.gains) ? $1 : $0 }
    }
    settings = chosen.settings
    (before, after) = (Self.mean(start.gains), Self.mean(chosen.gains))
  }

  /// For each setting except the weight of the popularity, `settings` with each other value of this setting.
  private static func changes(of settings: DiscoverySettings, distance: Bool) -> [[DiscoverySettings]] {
    func with<Value>(
      _ values: [Value], _ setting: WritableKeyPath<DiscoverySettings, Value>
    ) -> [DiscoverySettings] where Value: Equatable {
      values.filter { $0 != settings[keyPath: setting] }.map {
        var changed = settings
        changed[keyPath: setting] = $0
        return changed
      }
    }
    return [with(halfLives, \.halfLife), with(halfPlaces, \.halfPlace)]
      + (distance ? [with(exponents, \.distance)] : [])
  }

  /// The half-life of the popularity alone.
  package enum Trend: Hashable, Sendable {
    /// In milliseconds.
    case halfLife(Int64)
    /// No half-life is clearly better than counting all likes the same.
    case noneIsBetter
    /// Only this number of users have later likes, so no half-life was compared.
    case tooFewUsers(Int)
  }

  /// Chooses the half-life of the popularity alone, for lists that are the same for all users.
  ///
  /// - Parameters:
  ///   - task: The learning interactions and the rules of the lists.
  ///   - threads: The number of workers; the result does not depend on it.
  /// - Returns: The half-life, or the reason why there is none.
  package static func trend(of task: DiscoveryTask, threads: Int) -> Trend {
    let trials = DiscoveryTrials(task, usesItems: false, threads: threads)
    guard trials.users.count >= leastUsers else { return .tooFewUsers(trials.users.count) }
    let candidates = ([nil] + halfLives).map { halfLife in
      var settings = DiscoverySettings()
      settings.halfLife = halfLife
      return settings
    }
    let gains = trials.gains(candidates, threads: threads)
    let best = gains.dropFirst().reduce(gains[0]) { mean($1.gains) > mean($0.gains) ? $1 : $0 }
    guard let halfLife = best.settings.halfLife,
      isClear(zip(best.gains, gains[0].gains).map { $0 - $1 })
    else { return .noneIsBetter }
    return .halfLife(halfLife)
  }

  private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(values.count) }

  /// Whether the mean of paired differences is above 0 by more than `leastGain` standard errors.
  static func isClear(_ differences: [Double]) -> Bool {
    let mean = mean(differences)
    let squares = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let error = (squares / Double(differences.count - 1) / Double(differences.count)).squareRoot()
    return mean > leastGain * error
  }
}
