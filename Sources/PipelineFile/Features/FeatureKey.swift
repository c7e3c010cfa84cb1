/// All kinds of features, by their keys in the pipeline file.
///
/// To add a kind, add a case here. The compiler then requires its type, its `form`, the method of
/// `FeatureBinder` and the implementation in `Features`.
enum FeatureKey: String, CaseIterable {
  case category, number, same, difference, overlap, position, distance
  case receivedLikeRate = "received_like_rate"
  case popularity, activity, recency, geohash, text, age, weekday, follows, tags

  /// The syntax of an entry of this kind, with the function that reads the entry.
  var form: FeatureForm {
    switch self {
    case .category: .value(CategoryFeature.read(_:_:))
    case .number: .value(NumberFeature.read(_:_:))
    case .same: .value(SameFeature.read(_:_:))
    case .difference: .value(DifferenceFeature.read(_:_:))
    case .overlap: .value(OverlapFeature.read(_:_:))
    case .position: .word(PositionFeature.read(word:_:))
    case .distance: .either(word: DistanceFeature.read(word:_:), value: DistanceFeature.read(_:_:))
    case .receivedLikeRate:
      .either(word: ReceivedLikeRateFeature.read(word:_:), value: ReceivedLikeRateFeature.read(_:_:))
    case .popularity: .either(word: PopularityFeature.read(word:_:), value: PopularityFeature.read(_:_:))
    case .activity: .word(ActivityFeature.read(word:_:))
    case .recency: .word(RecencyFeature.read(word:_:))
    case .geohash: .value(GeohashFeature.read(_:_:))
    case .text: .value(TextFeature.read(_:_:))
    case .age: .value(AgeFeature.read(_:_:))
    case .weekday: .value(WeekdayFeature.read(_:_:))
    case .follows: .value(FollowsFeature.read(_:_:))
    case .tags: .value(TagsFeature.read(_:_:))
    }
  }
}

/// The syntax of an entry of `model.features`.
enum FeatureForm {
  /// Reads one entry. The setting contains the word or the value, and its position for messages.
  typealias Reader = (Setting, FeatureSettings) throws(PipelineFileError) -> any ListedFeature

  /// A single word: `- distance`.
  case word(Reader)
  /// A key with a value: `- { category: field }`.
  case value(Reader)
  case either(word: Reader, value: Reader)

  var word: Reader? {
    switch self {
    case .word(let reader), .either(word: let reader, value: _): reader
    case .value: nil
    }
  }

  var value: Reader? {
    switch self {
    case .value(let reader), .either(word: _, value: let reader): reader
    case .word: nil
    }
  }
}

/// Binds features of each kind to the columns of a snapshot.
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
  func bind(_ feature: PopularityFeature) -> Bound
  func bind(_ feature: ActivityFeature) -> Bound
  func bind(_ feature: RecencyFeature) -> Bound
  func bind(_ feature: GeohashFeature) -> Bound
  func bind(_ feature: TextFeature) -> Bound
  func bind(_ feature: AgeFeature) -> Bound
  func bind(_ feature: WeekdayFeature) -> Bound
  func bind(_ feature: FollowsFeature) -> Bound
  func bind(_ feature: TagsFeature) -> Bound
}

/// A kind of feature for which a `FeatureBinder` has a method.
package protocol ListedFeature: FeatureKind {
  /// Calls the binder's method for this kind. The result has one element for each of `names`.
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

extension PopularityFeature: ListedFeature {
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

extension TagsFeature: ListedFeature {
  package func bound<Binder: FeatureBinder>(by binder: Binder) -> [Binder.Bound] { [binder.bind(self)] }
}
