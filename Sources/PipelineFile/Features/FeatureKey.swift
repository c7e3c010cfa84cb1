/// The list of all kinds of features, by their keys in the pipeline file.
///
/// A new kind is a key here, its type, its way to the binder, and the binder's method for it: with the key alone the compiler
/// asks for all of them, one after the other, and for what `Features` makes of the kind.
enum FeatureKey: String, CaseIterable {
  case category, number, same, difference, overlap, position, distance
  case receivedLikeRate = "received_like_rate"
  case activity, recency, geohash, text, age, weekday, follows

  var kind: any ListedFeature.Type {
    switch self {
    case .category: CategoryFeature.self
    case .number: NumberFeature.self
    case .same: SameFeature.self
    case .difference: DifferenceFeature.self
    case .overlap: OverlapFeature.self
    case .position: PositionFeature.self
    case .distance: DistanceFeature.self
    case .receivedLikeRate: ReceivedLikeRateFeature.self
    case .activity: ActivityFeature.self
    case .recency: RecencyFeature.self
    case .geohash: GeohashFeature.self
    case .text: TextFeature.self
    case .age: AgeFeature.self
    case .weekday: WeekdayFeature.self
    case .follows: FollowsFeature.self
    }
  }
}

/// Binds features of every kind to the columns of a snapshot.
package protocol FeatureBinder {
  associatedtype Bound

  func bind(_ feature: CategoryFeature) -> Bound
  func bind(_ feature: NumberFeature) -> Bound
  func bind(_ feature: SameFeature) -> Bound
  func bind(_ feature: DifferenceFeature) -> Bound
  func bind(_ feature: OverlapFeature) -> Bound
  func bind(_ feature: PositionFeature) -> (latitude: Bound, longitude: Bound)
  func bind(_ feature: DistanceFeature) -> Bound
  func bind(_ feature: ReceivedLikeRateFeature) -> Bound
  func bind(_ feature: ActivityFeature) -> Bound
  func bind(_ feature: RecencyFeature) -> Bound
  func bind(_ feature: GeohashFeature) -> Bound
  func bind(_ feature: TextFeature) -> Bound
  func bind(_ feature: AgeFeature) -> Bound
  func bind(_ feature: WeekdayFeature) -> Bound
  func bind(_ feature: FollowsFeature) -> Bound
}

/// A kind that the binder knows.
package protocol ListedFeature: FeatureKind {
  /// What the binder makes of it: one for each name.
  func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound]
}

extension CategoryFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] { [binder.bind(self)] }
}

extension NumberFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] { [binder.bind(self)] }
}

extension SameFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] { [binder.bind(self)] }
}

extension DifferenceFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] { [binder.bind(self)] }
}

extension OverlapFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] { [binder.bind(self)] }
}

extension PositionFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] {
    let (latitude, longitude) = binder.bind(self)
    return [latitude, longitude]
  }
}

extension DistanceFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] { [binder.bind(self)] }
}

extension ReceivedLikeRateFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] { [binder.bind(self)] }
}

extension ActivityFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] { [binder.bind(self)] }
}

extension RecencyFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] { [binder.bind(self)] }
}

extension GeohashFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] { [binder.bind(self)] }
}

extension TextFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] { [binder.bind(self)] }
}

extension AgeFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] { [binder.bind(self)] }
}

extension WeekdayFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] { [binder.bind(self)] }
}

extension FollowsFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] { [binder.bind(self)] }
}
