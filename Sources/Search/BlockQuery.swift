internal import Geohash

/// One user's search: what is asked, and the list so far.
struct BlockQuery {
  enum QueryOrder {
    /// Highest first, those above a minimum.
    case score(above: Double)
    /// Nearest first; everybody has this score, if any.
    case distance(score: Double?)
  }

  let user: Int
  let origin: DistanceOrigin?
  let center: UnitVector?
  let roundedCenter: FloatVector
  /// Whoever does not score more is not listed; `nil` where the list is by distance.
  let minimumScore: Double?
  /// What everybody scores by a model that tells nobody apart, whose list is by distance.
  let constantScore: Double?
  /// At most how much rounding puts a bound above the exact one.
  private let slack: Double
  private(set) var top: TopList
  /// Whoever's bound is below it cannot be listed.
  private(set) var threshold = -Float.infinity
  private var exactThreshold = -Double.infinity
  /// Made when it is needed: few searches do.
  var exactBound: ScoreBound?

  /// - Parameters:
  ///   - user: Row of the user.
  ///   - position: Where the user is, if that is known.
  ///   - slack: That of the score which bounds are made of.
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

  mutating func offer(_ found: Recommendation, hash: UInt64, isExcluded: @autoclosure () -> Bool) {
    guard top.offer(found, hash: hash, isExcluded: isExcluded()), let last = top.last else { return }
    // In the order of distance a bound is at least minus the distance.
    if minimumScore != nil, let score = last.score {
      set(score)
    } else if minimumScore == nil, !last.distance.isNaN {
      set(-last.distance)
    }
  }

  /// Whether a bound is so little above the threshold that only the exact one tells whether to go on. Above that the
  /// entry is opened, which is never wrong: near the root, where bounds are loose, it may be for nothing.
  func isClose(_ bound: Float) -> Bool {
    minimumScore != nil && !(Double(bound) - slack > exactThreshold)
  }

  private mutating func set(_ threshold: Double) {
    exactThreshold = threshold
    let rounded = Float(threshold)
    self.threshold = Double(rounded) > threshold ? rounded.nextDown : rounded
  }
}
