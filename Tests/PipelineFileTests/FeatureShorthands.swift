@testable import PipelineFile

/// Short names for features, for use in tests.
extension Pipeline.Feature {
  static var position: Self { Self(PositionFeature()) }
  static var distance: Self { Self(DistanceFeature()) }
  static var activity: Self { Self(ActivityFeature()) }
  static var recency: Self { Self(RecencyFeature()) }

  static func category(_ attribute: String) -> Self { Self(CategoryFeature(attribute: attribute)) }
  static func number(_ attribute: String) -> Self { Self(NumberFeature(attribute: attribute)) }
  static func bins(_ attribute: String, _ bins: NumberFeature.Bins) -> Self {
    Self(NumberFeature(attribute: attribute, bins: bins))
  }
  static func age(_ attribute: String) -> Self { Self(AgeFeature(attribute: attribute)) }
  static func geohash(precision: Int) -> Self { Self(GeohashFeature(precision: precision)) }
  static func text(_ attribute: String, dimensions: Int) -> Self {
    Self(TextFeature(attribute: attribute, dimensions: dimensions))
  }
  static func same(_ pair: Pipeline.AttributePair) -> Self { Self(SameFeature(pair: pair)) }
  static func overlap(_ pair: Pipeline.AttributePair) -> Self { Self(OverlapFeature(pair: pair)) }
  static func difference(_ pair: Pipeline.AttributePair, isSigned: Bool) -> Self {
    Self(DifferenceFeature(pair: pair, isSigned: isSigned))
  }
  static func follows(_ choice: Pipeline.Choice) -> Self { Self(FollowsFeature(choice: choice)) }
}
