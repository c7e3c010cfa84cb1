internal import Geohash

/// One user's search: the query and the current list.
struct BlockQuery {
  enum QueryOrder {
    /// Highest score first. Only candidates with a score above the minimum are listed.
    case score(above: Double)
    /// Nearest first. All candidates have the score `score`; `nil` if the user has no model.
    case distance(score: Double?)
  }

  let user: Int
  let origin: DistanceOrigin?
  let center: UnitVector?
  let roundedCenter: FloatVector
  /// The score that a listed candidate must exceed; `nil` for a list by distance.
  let minimumScore: Double?
  /// For a list by distance, the score that the user's model gives to every candidate; `nil` if there is no
  /// model.
  let constantScore: Double?
  /// The maximum amount by which rounding can raise a bound above the exact bound.
  private let slack: Double
  /// The prices to subtract from values; `nil` for a search without prices.
  private(set) var prices: TreePrices?
  /// With prices, the difference of value and price that a listed candidate must exceed.
  private(set) var leastDifference = -Double.infinity
  /// In a search by distance with prices, the value of a distance; `nil` in other searches.
  private(set) var distanceValue: DistanceValue?
  private(set) var top: TopList
  /// A candidate whose bound is below this threshold cannot enter the list.
  private(set) var threshold = -Float.infinity
  private var exactThreshold = -Double.infinity
  /// The source of exact bounds. It is created on demand, because few searches need exact bounds.
  var exactBound: ScoreBound?

  /// Creates the query of a user, without prices.
  ///
  /// - Parameters:
  ///   - user: Row of the user.
  ///   - position: The user's position, if known.
  ///   - slack: The slack of the `UserScore` that computes the bounds.
  ///   - order: Whether the list is by score or by distance.
  ///   - top: An empty list.
  init(user: Int, position: Coordinate?, slack: Double, order: QueryOrder, top: TopList) {
    (self.user, self.slack, self.top) = (user, slack, top)
    origin = position.map(DistanceOrigin.init)
    center = position.map(UnitVector.init)
    roundedCenter = center.map(FloatVector.init) ?? .unknown
    switch order {
    case .score(let minimum):
      (minimumScore, constantScore) = (minimum, nil)
      set(minimum)
    case .distance(let score): (minimumScore, constantScore) = (nil, score)
    }
  }

  /// Subtracts `prices` from all values, and lists only candidates with differences above `least`. The
  /// minimum score still applies to scores without prices. `distanceValue` gives the values of a search by
  /// distance.
  mutating func set(_ prices: TreePrices, above least: Double, _ distanceValue: DistanceValue? = nil) {
    self.prices = prices
    self.distanceValue = distanceValue
    // The limit is finite, so candidates with infinite prices are never listed.
    leastDifference = max(least, -Double(Float.greatestFiniteMagnitude))
    set(leastDifference * (distanceValue?.unit ?? 1))
  }

  mutating func offer(_ found: Recommendation, hash: UInt64, isExcluded: @autoclosure () -> Bool) {
    guard top.offer(found, hash: hash, isExcluded: isExcluded()), let last = top.last else { return }
    // In the order by distance, the score bounds limit the negated distance.
    if minimumScore != nil || prices != nil, let score = last.score {
      set(score * (distanceValue?.unit ?? 1))
    } else if minimumScore == nil, !last.distance.isNaN {
      set(-last.distance)
    }
  }

  /// Returns whether a bound is so close to the threshold that the exact bound must decide. The result is
  /// always false in the order by distance.
  ///
  /// The search opens entries with higher bounds without computing their exact bounds. The list stays the
  /// same, but the search may open some entries unnecessarily near the root, where bounds are loose.
  func isClose(_ bound: Float) -> Bool {
    minimumScore != nil && !(Double(bound) - slack > exactThreshold)
  }

  private mutating func set(_ threshold: Double) {
    exactThreshold = threshold
    let rounded = Float(threshold)
    self.threshold = Double(rounded) > threshold ? rounded.nextDown : rounded
  }
}
