internal import Concurrency
internal import RunSchemas

/// Chooses the settings for `order_by: discovery`. It compares settings on the learning interactions.
/// `InnerCut` divides these interactions into earlier and later ones.
///
/// The search starts at the defaults, with the best weight of the popularity. Each step applies the change of
/// one setting that most increases the mean nDCG@10 of users with later likes. A change is accepted only if
/// its mean gain, paired by user, exceeds `leastGain` standard errors. The weight of the popularity is chosen
/// again for each compared value of another setting.
package struct DiscoveryChoice: Sendable {
  /// The chosen settings; the defaults if too few users have later likes.
  package let settings: DiscoverySettings
  /// The number of compared users.
  package let users: Int
  /// The mean nDCG@10 with the best weight of the popularity and the other settings at their defaults; NaN if
  /// too few users have later likes.
  package let before: Double
  /// The mean nDCG@10 with the chosen settings; NaN if too few users have later likes.
  package let after: Double

  /// The values to compare. Half-lives are in milliseconds.
  static let halfLives = ([3, 7, 14, 30, 90, 180, 365] as [Int64?]).map { $0.map { $0 * 86_400_000 } }
  static let halfPlaces = [5.0, 10, 20, 50] as [Double?]
  static let popularities = [0.01, 0.03, 0.1, 0.3, 1, 3]
  static let exponents = [0.25, 0.5, 1, 1.5, 2]
  static let areaPrecisions = [4, 5, 6]
  /// The exponents of the distance to compare for each precision of areas. Areas contain most of the
  /// information of a distance, so large exponents are not compared.
  static let exponentsWithAreas = [0, 0.25, 0.5]
  /// The mean gain that a change needs, in standard errors. By chance alone, the best of several compared
  /// values gains about one standard error.
  static let leastGain = 2.0
  /// The minimum number of users with later likes. With fewer users, the settings keep their defaults.
  package static let leastUsers = 30

  /// Chooses the settings for the interactions and rules of `task`.
  ///
  /// - Parameters:
  ///   - task: The learning interactions and the rules of the lists.
  ///   - threads: The maximum number of threads; the result does not depend on it.
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
      // If several settings have the same mean, the first one wins, so the result is deterministic.
      return gains.reduce(gains[0]) { Self.mean($1.gains) > Self.mean($0.gains) ? $1 : $0 }
    }
    let start = best([DiscoverySettings()])
    var chosen = start
    while true {
      let found = Self.changes(of: chosen.settings, distance: task.hasPositions, areas: trials.haveAreas)
        .map(best)
        .filter { Self.isClear(zip($0.gains, chosen.gains).map { $0 - $1 }) }
      // If several changes have the same mean, the first one wins. Each step increases the mean, so the loop
      // ends.
      guard let first = found.first else { break }
      chosen = found.reduce(first) { Self.mean($1.gains) > Self.mean($0.gains) ? $1 : $0 }
    }
    settings = chosen.settings
    (before, after) = (Self.mean(start.gains), Self.mean(chosen.gains))
  }

  /// Returns, for each setting except the weight of the popularity, copies of `settings` with every other
  /// compared value of this setting. Each precision of areas is combined with each of `exponentsWithAreas`.
  private static func changes(
    of settings: DiscoverySettings, distance: Bool, areas: Bool
  ) -> [[DiscoverySettings]] {
    func with<Value>(
      _ values: [Value], _ setting: WritableKeyPath<DiscoverySettings, Value>
    ) -> [DiscoverySettings] where Value: Equatable {
      values.filter { $0 != settings[keyPath: setting] }.map {
        var changed = settings
        changed[keyPath: setting] = $0
        return changed
      }
    }
    var changes = [with(halfLives, \.halfLife), with(halfPlaces, \.halfPlace)]
    if distance { changes.append(with(exponents, \.distance)) }
    if areas {
      changes.append(
        areaPrecisions.flatMap { precision in
          (distance ? exponentsWithAreas : [0]).map {
            var changed = settings
            (changed.areaPrecision, changed.distance) = (precision, $0)
            return changed
          }
        }.filter { $0 != settings })
    }
    return changes
  }

  /// The half-life for lists that are ordered by popularity alone, or the reason why no half-life was chosen.
  package enum Trend: Hashable, Sendable {
    /// The half-life in milliseconds.
    case halfLife(Int64)
    /// No half-life is clearly better than an equal weight for all likes.
    case noneIsBetter
    /// Only this number of users have later likes, so no half-life was compared.
    case tooFewUsers(Int)
  }

  /// Chooses the half-life for lists that are ordered by popularity alone.
  ///
  /// - Parameters:
  ///   - task: The learning interactions and the rules of the lists.
  ///   - threads: The maximum number of threads; the result does not depend on it.
  /// - Returns: The half-life, or the reason why no half-life was chosen.
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

  /// Returns whether the mean of paired differences is above 0 by more than `leastGain` standard errors.
  static func isClear(_ differences: [Double]) -> Bool {
    let mean = mean(differences)
    let squares = differences.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let error = (squares / Double(differences.count - 1) / Double(differences.count)).squareRoot()
    return mean > leastGain * error
  }
}
