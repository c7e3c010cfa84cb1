internal import Geohash

/// One user's search: the query, and the list so far.
struct BlockQuery {
  enum QueryOrder {
    /// Highest first, those above a minimum.
    case score(above: Double)
    /// Nearest first; all candidates have this score, if any.
    case distance(score: Double?)
  }

  let user: Int
  let origin: DistanceOrigin?
  let center: UnitVector?
  let roundedCenter: FloatVector
  /// Only candidates with a higher score are listed; `nil` for a list by distance.
  let minimumScore: Double?
  /// The score of every candidate by a model without distinguishing features, for a list by distance.
  let constantScore: Double?
  /// At most how much rounding puts a bound above the exact one.
  private let slack: Double
  private(set) var top: TopList
  /// Candidates with a lower bound cannot be listed.
  private(set) var threshold = -Float.infinity
  private var exactThreshold = -Double.infinity
  /// Made when it is needed: few searches do.
  var exactBound: ScoreBound?

  /// - Parameters:
  ///   - user: Row of the user.
  ///   - position: The user's position, if known.
  ///   - slack: The slack of the score that bounds are computed from.
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

  /// Whether a bound is so little above the threshold that the exact bound must decide. A higher bound opens the entry, which is
  /// always correct; near the root, where bounds are loose, it may be in vain.
  func isClose(_ bound: Float) -> Bool {
    minimumScore != nil && !(Double(bound) - slack > exactThreshold)
  }

  private mutating func set(_ threshold: Double) {
    exactThreshold = threshold
    let rounded = Float(threshold)
    self.threshold = Double(rounded) > threshold ? rounded.nextDown : rounded
  }
}
